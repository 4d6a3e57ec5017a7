/** What the demo model understands, and the tool that it needs for it. */
const known: readonly { readonly tool: string; readonly text: string }[] = [
  { tool: "get_build_status", text: "check build 42" },
  { tool: "count_up", text: "count to 3" },
  { tool: "calculate", text: "add 2 and 3" },
  { tool: "sleep", text: "sleep 1 then say hi" },
  { tool: "", text: "say hello" },
  { tool: "", text: "help" },
];

/** Three things to try with these tools. */
export const suggestions = (tools: readonly string[]): string[] =>
  known
    .filter(({ tool }) => tool === "" || tools.includes(tool))
    .map(({ text }) => text)
    .slice(0, 3);
