import type { AnyStateMachine } from "xstate";
import { roundMachine } from "../../../machines/round/machine.ts";
import { systemMachine } from "../../../machines/system/machine.ts";
import { threadMachine } from "../../../machines/thread/machine.ts";
import { machineJson } from "../../inspect/json.ts";
import { drawMermaid } from "../../inspect/mermaid.ts";

/** Every machine of the design, by the name of its chart. */
export const machines: Readonly<Record<string, AnyStateMachine>> = {
  thread: threadMachine,
  round: roundMachine,
  system: systemMachine,
};

export const formats = ["mermaid", "json"] as const;
export type Format = (typeof formats)[number];

/**
 * The chart of one machine, as it can be pasted; or all of them: as Markdown with a heading for each, or as one JSON
 * object with a member for each.
 */
export const chartText = (name: string | undefined, format: Format): string => {
  const machine = name === undefined ? undefined : machines[name];
  if (machine) return format === "json" ? json(machineJson(machine)) : drawMermaid(machine);
  const all = Object.entries(machines);
  if (format === "json") return json(Object.fromEntries(all.map(([key, each]) => [key, machineJson(each)])));
  return all.map(([key, each]) => `# ${key}\n\n\`\`\`mermaid\n${drawMermaid(each)}\`\`\`\n`).join("\n");
};

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
