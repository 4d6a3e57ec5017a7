/** How text stands on its lines. Everything that is given to it, or comes from it, is without colours. */
export interface Layout {
  /** What can be shown of a text that comes piece by piece; the rest follows with the next piece, or at the end. */
  next(piece: string): string;
  /** What was held back, before somebody else ends the open line. */
  flush(): string;
  /** What was held back, and the end of the open line. */
  end(): string;
  /** The end of the open line, where something else is shown in between; what was held back follows later. */
  endLine(): string;
  /** Somebody else has ended the open line. */
  lineEnded(): void;
  /** Columns of the open line that are taken; 0: none is open. */
  readonly column: number;
  /** A line as one or more that fit beside `indent` columns. */
  fold(line: string, indent: number): readonly string[];
}

/** Lines as long as they come: what reads a pipe has no width. */
export const asItComes = (): Layout => {
  let column = 0;
  const endLine = (): string => {
    const end = column > 0 ? "\n" : "";
    column = 0;
    return end;
  };
  return {
    next(piece) {
      const start = piece.lastIndexOf("\n") + 1;
      column = (start > 0 ? 0 : column) + piece.length - start;
      return piece;
    },
    flush: () => "",
    end: endLine,
    endLine,
    lineEnded() {
      column = 0;
    },
    get column() {
      return column;
    },
    fold: (line) => [line],
  };
};
