import { completion, serving } from "../model/server.ts";

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly text: string }[];
}

/** A model that answers at once, but begins a tale without an end when it is asked for a long one. */
export const taleServer = () =>
  serving((response, _key, body) => {
    const { messages } = JSON.parse(body) as { readonly messages: readonly Message[] };
    const texts = messages
      .filter(({ role }) => role === "user")
      .map(({ content }) => (typeof content === "string" ? content : content.at(-1)?.text));
    const asked = texts.at(-1) ?? "";
    response.writeHead(200, { "content-type": "text/event-stream" });
    const tale = ["Once upon ", "a time there was ", "a king who had ", "three daughters, and "];
    if (asked.includes("long")) for (const piece of completion(...tale).slice(0, tale.length)) response.write(piece);
    else response.end(completion(`That was text ${texts.length}: `, `${asked}.`).join(""));
  });
