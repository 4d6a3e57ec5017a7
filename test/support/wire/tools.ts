import { z } from "zod";
import { defineTool } from "../../../src/index.ts";

/** A red dot. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==";

/** Settles within the slice. */
export const find = defineTool({
  name: "find",
  description: "Finds.",
  inputSchema: z.object({ q: z.string() }),
  inline: ({ q }) => `found ${q}`,
});

/** Is settled by hand, from its address. */
export const byHand = () => {
  const addresses: string[] = [];
  const build = defineTool({
    name: "build",
    description: "Builds.",
    inputSchema: z.object({}),
    dispatch: (_, call) => void addresses.push(call.address),
  });
  return { build, addresses };
};

export const picture = defineTool({
  name: "picture",
  description: "Takes a picture.",
  inputSchema: z.object({}),
  inline: () => [
    { type: "text", text: "here it is" },
    { type: "image", data: png, mediaType: "image/png" },
  ],
});
