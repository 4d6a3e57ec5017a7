import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Edit, Fault } from "./faults.ts";

export const root = fileURLToPath(new URL("../../", import.meta.url));

/** The source with the edits of one file made. Throws where one does not fit: the source has changed since. */
export const edited = (source: string, edits: readonly Edit[]): string =>
  edits.reduce((text, { file, from, to }) => {
    const times = text.split(from).length - 1;
    if (times !== 1) throw new Error(`${file} has ${JSON.stringify(from)} ${times} times, not once.`);
    return text.replace(from, () => to);
  }, source);

/** Whether every edit of a fault fits the source as it is. Throws like `edited`. */
export const checkFault = ({ edits }: Fault): void => {
  for (const { file } of edits)
    edited(
      readFileSync(join(root, file), "utf8"),
      edits.filter((edit) => edit.file === file),
    );
};
