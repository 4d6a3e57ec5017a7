import { z } from "zod";
import { builtinAct } from "./builtin.ts";
import { oneLine, said } from "./said.ts";

export const reportToParent = builtinAct({
  name: "report_to_parent",
  description:
    "Report something to the parent thread; only a child thread can. It arrives there as an event, and you go on. Nothing " +
    "else that you write reaches your parent. To report and end at once, call close_thread with a report instead.",
  inputSchema: z.object({
    report: said("report").describe("What the parent shall know; it does not see your conversation"),
  }),
  display: ({ report }) => `Report: ${oneLine(report)}`,
  act: ({ report: text }) => ({ do: "report", text }),
});
