import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";

/** Why no real terminal can be had; undefined when one can. */
export const lacksTmux = (): string | undefined =>
  spawnSync("tmux", ["-V"]).status === 0 ? undefined : "tmux is not installed";

/** What stands on a screen as one line, however wide the screen is. */
export const words = (screen: string): string => screen.replaceAll(/\s+/g, " ").trim();

/** Runs its arguments, says how they ended, and waits for somebody to read it. */
const staying = '"$@"; echo "(exit $?)"; exec cat';

/** A server of tmux of its own, in a folder of its own. Ends with everything that runs in it. */
export const tmux = () => {
  const folder = mkdtempSync(join(tmpdir(), "wakeful-tmux-"));
  const call = (...args: readonly string[]): string =>
    execFileSync("tmux", ["-u", "-f", "/dev/null", "-S", join(folder, "socket"), ...args], { encoding: "utf8" });
  let sessions = 0;

  return {
    folder,
    /** A terminal of that size in which `command` runs; it stays when that has ended, and shows `(exit CODE)`. */
    open(
      command: readonly string[],
      {
        columns,
        rows,
        cwd,
        env,
      }: Readonly<{ columns: number; rows: number; cwd: string; env: Record<string, string> }>,
    ) {
      const name = `s${sessions++}`;
      const variables = Object.entries(env).flatMap(([key, value]) => ["-e", `${key}=${value}`]);
      const size = ["-x", String(columns), "-y", String(rows)];
      call("new-session", "-d", "-s", name, ...size, "-c", cwd, ...variables, "sh", "-c", staying, "sh", ...command);
      const screen = (): string => call("capture-pane", "-p", "-t", name).trimEnd();
      return {
        screen,
        type: (text: string) => void call("send-keys", "-t", name, "-l", text),
        press: (key: string) => void call("send-keys", "-t", name, key),
        /** The screen, once its words are these; where its lines end is another matter. */
        async shows(seen: RegExp): Promise<string> {
          return vi.waitFor(
            () => {
              const text = screen();
              if (!seen.test(words(text))) throw new Error(`not yet ${seen}:\n${text}`);
              return text;
            },
            { timeout: 60_000, interval: 30 },
          );
        },
      };
    },
    close() {
      call("kill-server");
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
