import type { AnyStateMachine, AnyStateNode } from "xstate";
import { type ChartTransition, childrenOf, nameOf, namesOf, statesOf, transitionsOf } from "./chart.ts";

/** Characters of a line of prose in a box. */
const width = 48;

const entities: Readonly<Record<string, string>> = { ":": "#colon;", ";": "#semi;", '"': "#quot;", "#": "#num;" };

/** Mermaid ends a label at `:`, a statement at `;`, a title at a quotation mark; `#` begins an entity. */
const escaped = (text: string): string =>
  text.replaceAll(/\s+/g, " ").replaceAll(/[:;"#]/g, (sign) => entities[sign] ?? sign);

const wrapped = (text: string): string[] => {
  const lines: string[] = [];
  for (const word of text.split(/\s+/)) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
};

/** `round done 2 [isStale] / forget, report` */
const labelOf = ({ event, choice, guard, actions }: ChartTransition): string =>
  [event || "always", choice, guard && `[${guard}]`, actions.length > 0 && `/ ${actions.join(", ")}`]
    .filter(Boolean)
    .join(" ");

/** What a state's box says beside its name. */
const linesOf = (state: AnyStateNode): string[] => [
  ...wrapped(state.description ?? ""),
  ...state.invoke.map(({ src }) => `invokes ${nameOf(src)}`),
  ...namesOf(state.entry).map((name) => `entry / ${name}`),
  ...namesOf(state.exit).map((name) => `exit / ${name}`),
  ...transitionsOf(state)
    .filter(({ target }) => target === undefined)
    .map(labelOf),
];

/** The states around a state, itself first, the root last. */
const around = (state: AnyStateNode): AnyStateNode[] => [state, ...(state.parent ? around(state.parent) : [])];

interface Arrow {
  /** The state in whose box it is drawn. */
  readonly within: AnyStateNode;
  readonly text: string;
}

/**
 * A machine as a Mermaid `stateDiagram-v2`, which GitHub and most doc sites draw. Choices are numbered in the order they
 * are looked at. The same machine makes the same text.
 *
 * Mermaid joins only what stands side by side: an arrow between inner states of two boxes silently moves one of them
 * into the other box. So an arrow is drawn between the boxes that stand side by side, and names the inner states it is
 * about. An arrow between a box and something inside it is refused, and the text of a box is lost: both are told in a
 * dashed box inside it.
 */
export const drawMermaid = (machine: AnyStateMachine): string => {
  const states = statesOf(machine);
  const aliases = new Map(
    states.map((state) => [state, [machine.id, ...state.path].join("__").replaceAll(/\W/g, "_")]),
  );
  const arrows: Arrow[] = [];
  const abouts: string[] = [];
  const notes = new Map<AnyStateNode, string[]>();
  const note = (state: AnyStateNode, line: string) => notes.set(state, [...(notes.get(state) ?? []), line]);

  const place = (transition: ChartTransition): void => {
    const { source, target } = transition;
    if (target === undefined) return;
    const [from, to] = [around(source), around(target)];
    if (source !== target && (to.includes(source) || from.includes(target))) {
      note(to.includes(source) ? source : target, `${labelOf(transition)} → ${target.key}`);
      return;
    }
    const within = source === target ? (source.parent ?? source) : (to.find((state) => from.includes(state)) ?? source);
    const [tail, head] = [from[from.indexOf(within) - 1] ?? source, to[to.indexOf(within) - 1] ?? target];
    const words = [tail !== source && `(${source.key})`, labelOf(transition), head !== target && `→ ${target.key}`];
    const label = escaped(words.filter(Boolean).join(" "));
    arrows.push({ within, text: `${aliases.get(tail)} --> ${aliases.get(head)} : ${label}` });
  };
  for (const state of states) for (const transition of transitionsOf(state)) place(transition);

  const draw = (state: AnyStateNode): string[] => {
    const alias = aliases.get(state);
    const lines = [...linesOf(state), ...(notes.get(state) ?? [])].filter((line) => line !== "").map(escaped);
    const inner = childrenOf(state);
    const title = `state "${escaped(state.key)}" as ${alias}`;
    if (inner.length === 0)
      return [
        title,
        ...lines.map((line) => `${alias} : ${line}`),
        ...(state.type === "final" ? [`${alias} --> [*]`] : []),
      ];
    const start = state.initial?.target[0];
    const body = [
      ...(start && state.type === "compound" ? [`[*] --> ${aliases.get(start)}`] : []),
      ...inner.flatMap((child, index) => [...(state.type === "parallel" && index > 0 ? ["--"] : []), ...draw(child)]),
      ...arrows.filter(({ within }) => within === state).map(({ text }) => text),
    ];
    const about = `${alias}__about`;
    const said = lines.map((line) => `${about} : ${line}`);
    if (said.length > 0) abouts.push(about);
    const aside = said.length === 0 ? [] : [`state "about ${escaped(state.key)}" as ${about}`, ...said];
    return [`${title} {`, ...indented([...aside, ...body]), "}"];
  };
  const drawn = draw(machine.root);
  if (abouts.length > 0) drawn.push("classDef about stroke-dasharray: 4 4", `class ${abouts.join(", ")} about`);
  return `${["stateDiagram-v2", ...indented(drawn)].join("\n")}\n`;
};

const indented = (lines: readonly string[]): string[] => lines.map((line) => `  ${line}`);
