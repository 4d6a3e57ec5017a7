import { type Intent, sentence } from "../intent.ts";

const asks =
  /^(?:check|look at|show|get|what is|what's|how is|how's|is)(?: me)?(?: the)?(?: status of)?(?: the)? build #?([\w.-]{1,100})(?: status| done| finished| ready| ok| doing)?$/i;

export const buildStatus: Intent = {
  name: "build status",
  example: "check build 42",
  tool: "get_build_status",
  read: (piece) => {
    const id = asks.exec(piece)?.[1];
    return id === undefined ? undefined : { kind: "call", name: "get_build_status", args: { build_id: id } };
  },
  tell: ({ args, text }) => {
    const id = String(args.build_id);
    return sentence(text.includes(id) ? text : `Build ${id}: ${text}`);
  },
};
