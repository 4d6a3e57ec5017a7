import type { SharedV4ProviderMetadata } from "@ai-sdk/provider";

/**
 * Signatures as providers give them: opaque, made from what they sign, asked back unchanged. Reasoning is signed in
 * Anthropic's form and calls in Google's, so that both forms meet the code under test.
 */

/** FNV-1a over UTF-16 units: the same text gives the same signature in every process. */
const hash = (text: string): string => {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value ^= text.charCodeAt(index);
    value = Math.imul(value, 0x01000193);
  }
  return (value >>> 0).toString(16).padStart(8, "0");
};

export const reasoningSignature = (text: string): string => `reasoning-${hash(text)}`;

/** Of the name alone: a runtime may send a call back under another id, and mends arguments that did not parse. */
export const callSignature = (name: string): string => `call-${hash(name)}`;

export const signedReasoning = (text: string): SharedV4ProviderMetadata => ({
  anthropic: { signature: reasoningSignature(text) },
});

export const signedCall = (name: string): SharedV4ProviderMetadata => ({
  google: { thoughtSignature: callSignature(name) },
});

/** The signature among the options of a prompt part, whoever gave it. */
export const signatureIn = (options: SharedV4ProviderMetadata | undefined): string | undefined => {
  for (const ofProvider of Object.values(options ?? {}))
    for (const value of [ofProvider.signature, ofProvider.thoughtSignature])
      if (typeof value === "string") return value;
  return undefined;
};
