import { OptionError } from "../../errors.ts";

/** A range of seeds, both ends among them. */
export interface Seeds extends Iterable<number> {
  readonly from: number;
  readonly to: number;
}

const range = /^(\d{1,15})(?:\.\.(\d{1,15}))?$/;

/** `1..10000`, or one seed. Throws OptionError. */
export const seedsOf = (text: string): Seeds => {
  const [, first, last = first] = range.exec(text) ?? [];
  const [from, to] = [Number(first), Number(last)];
  if (first === undefined || from > to)
    throw new OptionError("--seeds", `${JSON.stringify(text)} is no range. Say 1..10000, or one seed.`);
  return {
    from,
    to,
    *[Symbol.iterator]() {
      for (let seed = from; seed <= to; seed++) yield seed;
    },
  };
};
