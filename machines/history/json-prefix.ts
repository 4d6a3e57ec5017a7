/** Objects and lists inside each other that are followed. */
const deepest = 100;

const literal = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y;
const plain = /[^"\\]*/y;
const escaped = /\\(?:u[0-9a-fA-F]{4}|["\\/bfnrt])/y;

/**
 * What a JSON text says up to the first place that is no JSON: what is open there is closed, a text that is cut short ends
 * there, a key without a value is left out. Undefined when not even the beginning can be read. Linear in the length.
 */
export const jsonPrefix = (text: string): unknown => new Prefix(text).value(0);

class Prefix {
  readonly #text: string;
  #at = 0;
  /** The place was met behind which nothing is read. */
  #isOver = false;

  constructor(text: string) {
    this.#text = text;
  }

  value(depth: number): unknown {
    this.#skip();
    const first = this.#text[this.#at];
    if (depth > deepest) return this.#end();
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#list(depth);
    if (first === '"') return this.#string();
    const word = this.#match(literal);
    return word === undefined ? this.#end() : JSON.parse(word.replace(/^(-?)0+(?=\d)/, "$1"));
  }

  #object(depth: number): object {
    const members: [string, unknown][] = [];
    this.#at++;
    while (!this.#takes("}")) {
      if (members.length > 0 && !this.#takes(",")) this.#end();
      this.#skip();
      const key = this.#text[this.#at] === '"' && !this.#isOver ? this.#string() : this.#end();
      if (key === undefined || this.#isOver || !this.#takes(":")) {
        this.#end();
        break;
      }
      const value = this.value(depth + 1);
      if (value !== undefined) members.push([key, value]);
      if (this.#isOver) break;
    }
    return Object.fromEntries(members);
  }

  #list(depth: number): unknown[] {
    const items: unknown[] = [];
    this.#at++;
    while (!this.#takes("]")) {
      if (items.length > 0 && !this.#takes(",")) this.#end();
      const value = this.#isOver ? undefined : this.value(depth + 1);
      if (value !== undefined) items.push(value);
      if (this.#isOver) break;
    }
    return items;
  }

  #string(): string {
    const pieces: string[] = [];
    this.#at++;
    for (;;) {
      pieces.push(this.#match(plain) ?? "");
      if (this.#text[this.#at] === '"') {
        this.#at++;
        break;
      }
      const piece = this.#match(escaped);
      if (piece === undefined) {
        this.#end();
        break;
      }
      pieces.push(JSON.parse(`"${piece}"`) as string);
    }
    return pieces.join("");
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const [found] = pattern.exec(this.#text) ?? [];
    this.#at += found?.length ?? 0;
    return found;
  }

  #takes(sign: string): boolean {
    this.#skip();
    if (this.#text[this.#at] !== sign) return false;
    this.#at++;
    return true;
  }

  #skip(): void {
    while (/\s/.test(this.#text[this.#at] ?? "")) this.#at++;
  }

  #end(): undefined {
    this.#isOver = true;
  }
}
