import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { codeBlocks } from "../../support/docs/code-blocks.ts";
import { taleServer } from "./tale-server.ts";
import { lacksTmux, tmux, words } from "./tmux.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const lacking = lacksTmux();

/** Whoever runs the tests may have keys of their own. */
const noKeys = { ANTHROPIC_API_KEY: "", OPENAI_API_KEY: "", OPENAI_BASE_URL: "" };

/** A screen that has these words and no others. */
const exactly = (screen: string): RegExp => new RegExp(`^${RegExp.escape(words(screen))}$`);

describe.skipIf(lacking)(
  `wakeful chat in a real terminal${lacking ? ` (${lacking})` : ""}`,
  { timeout: 120_000 },
  () => {
    let terminals: ReturnType<typeof tmux>;
    let server: Awaited<ReturnType<typeof taleServer>>;
    beforeAll(async () => {
      terminals = tmux();
      server = await taleServer();
    });
    afterAll(async () => {
      terminals.close();
      await server[Symbol.asyncDispose]();
    });

    const chat = (columns: number) =>
      terminals.open(
        [process.execPath, "--conditions=wakeful-source", "src/cli/bin.ts", "chat"].concat([
          "--db",
          `${terminals.folder}/${columns}.db`,
          "--thread",
          "tale",
          "--model",
          "teller",
        ]),
        { columns, rows: 40, cwd: root, env: { ...noKeys, OPENAI_BASE_URL: server.url } },
      );
    const isWithin = (screen: string, columns: number): void => {
      // The prompt's rows are the terminal's own affair, and end where it ends.
      for (const row of screen.split("\n").filter((row) => !row.startsWith(">")))
        expect(row.length, row).toBeLessThan(columns);
    };

    it.concurrent("is what docs/cli.md shows", async () => {
      const [block] = codeBlocks(readFileSync(`${root}docs/cli.md`, "utf8")).filter(({ info }) => info === "screen");
      const shown = block?.code.trim() ?? "";
      const screen = terminals.open(
        [
          process.execPath,
          "--conditions=wakeful-source",
          "src/cli/bin.ts",
          "chat",
          "--tools",
          "docs/examples/index.ts",
        ],
        { columns: 80, rows: 40, cwd: root, env: noKeys },
      );
      for (const { index, 1: typed = "" } of shown.matchAll(/^> (.+)$/gm)) {
        await screen.shows(exactly(`${shown.slice(0, index)}>`));
        screen.type(typed);
        screen.press("Enter");
      }
      expect(await screen.shows(exactly(shown))).toBe(shown);
    });

    it.concurrent.each([80, 20])(
      "asks, is interrupted by typing and by Ctrl-C, is left, and is gone on with, at %d columns",
      async (columns) => {
        const first = chat(columns);
        await first.shows(/leaves\. >$/);
        first.type("hello");
        first.press("Enter");
        await first.shows(/> hello That was text 1: hello\. >$/);

        first.type("a long tale");
        first.press("Enter");
        await first.shows(/> a long tale Once upon a time there was a king who had three daughters, [⠀-⣿]$/);
        first.type("make it shorter");
        await first.shows(/three daughters, [⠀-⣿] make it shorter$/);
        first.press("Enter");
        isWithin(
          await first.shows(
            /three daughters, and > make it shorter \(interrupted\) That was text 3: make it shorter\. >$/,
          ),
          columns + 1,
        );

        first.type("a longer tale");
        first.press("Enter");
        await first.shows(/> a longer tale Once upon .* daughters, [⠀-⣿]$/);
        first.press("C-c");
        await first.shows(/daughters, and \(interrupted\) >$/);
        first.press("C-c");
        await first.shows(/wakeful: to go on .* \(exit 0\)$/);

        const second = chat(columns);
        await second.shows(
          /What was said: > hello .* > make it shorter That was text 3: .* > a longer tale Once .* and >$/,
        );
        second.type("and then?");
        second.press("Enter");
        isWithin(await second.shows(/> and then\? That was text 5: and then\?\. >$/), columns + 1);
        second.press("C-d");
        await second.shows(/ \(exit 0\)$/);
      },
    );
  },
);
