import { createSystem, defineTool, demoModel } from "wakeful";
import { z } from "zod";

/** A picture of one pixel. */
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const renderChart = defineTool({
  name: "render_chart",
  description: "Draw the sales of a year.",
  inputSchema: z.object({ year: z.int() }),
  annotations: { readOnly: true },
  run: async ({ year }, call) => {
    call.progress("reading sales");
    call.progress("drawing");
    return {
      content: `Sales of ${year}: 12 in spring, 30 in summer.`,
      display: [
        { type: "image", content: { data: pixel, mediaType: "image/png" } },
        { type: "text", content: "A chart of the sales." },
      ],
    };
  },
});

const system = await createSystem({ model: demoModel(), tools: [renderChart] });
const thread = await system.open("shop/sales");
thread.updates$.subscribe((update) => {
  if (update.type === "call.progressed") console.log("progress:", update.text);
  if (update.type === "call.settled")
    for (const segment of update.display ?? []) console.log("shown to people:", segment.type);
});

console.log(await thread.ask('call render_chart {"year": 2025}'));

await system.stop();
