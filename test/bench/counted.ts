import { StatementSync } from "node:sqlite";

type Values = Parameters<StatementSync["run"]>;

const bytesOf = (value: unknown): number => (typeof value === "string" ? Buffer.byteLength(value) : 8);

/**
 * The bytes that statements of `node:sqlite` wrote while `work` ran, one number for each transaction that wrote anything: what
 * was bound to `run`, texts as UTF-8, all else as eight bytes. For work of one connection.
 */
export const writtenBy = async (work: () => Promise<void>): Promise<number[]> => {
  const { run } = StatementSync.prototype;
  const transactions: number[] = [];
  let open = 0;
  StatementSync.prototype.run = function (this: StatementSync, ...values: Values) {
    if (/^(BEGIN|COMMIT|ROLLBACK)/.test(this.sourceSQL)) {
      if (open > 0) transactions.push(open);
      open = 0;
    } else for (const value of values) open += bytesOf(value);
    return Reflect.apply(run, this, values);
  } as StatementSync["run"];
  try {
    await work();
  } finally {
    StatementSync.prototype.run = run;
  }
  return transactions;
};
