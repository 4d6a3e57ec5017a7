import { ToolDefinitionError } from "../errors.ts";
import type { ToolBehaviour } from "./tool.ts";

/** Names that stand for what the runtime delivers; no tool can have them, and no model can call them. */
export const reservedNames: readonly string[] = ["receive_event__injected", "receive_event"];

const legalName = /^[a-zA-Z0-9_-]{1,64}$/;
const forms = ["run", "dispatch", "inline", "subscribe"] as const;

/** A definition as it may really come: from JavaScript, or from a file that was loaded. */
interface Claim {
  readonly [field: string]: unknown;
}

const text = (value: unknown): string => (typeof value === "string" ? value : String(JSON.stringify(value)));

/** The first thing that is wrong with a definition; undefined when it makes a tool. */
const problemOf = (claim: Claim): string | undefined => {
  const { name, description, display, deadline, onRestart, passive, needsApproval, approval, annotations } = claim;
  const present = forms.filter((form) => claim[form] !== undefined);
  const [form] = present;
  if (typeof name !== "string" || !legalName.test(name))
    return "its name must be 1 to 64 characters of a-z A-Z 0-9 _ -, which is what providers accept";
  if (reservedNames.includes(name)) return "its name is reserved for events that the runtime delivers; choose another";
  if (typeof description !== "string") return "it needs a description, the text that tells the model what it does";
  if (!form && typeof claim.execute === "function")
    return "it has execute, as tools of the AI SDK do; call that function run, or pass such a tool through fromAiTool(name, tool)";
  if (present.length === 0 || !form) return `it does nothing; give it exactly one of ${forms.join(", ")}`;
  if (present.length > 1) return `it has ${present.join(" and ")}; give it exactly one of ${forms.join(", ")}`;
  if (typeof claim[form] !== "function") return `${form} must be a function`;
  if (claim.resume !== undefined && form !== "subscribe") return "resume belongs to subscribe, which it does not have";
  if (claim.resume !== undefined && typeof claim.resume !== "function") return "resume must be a function";
  if (passive !== undefined && typeof passive !== "boolean") return "passive must be true or false";
  if (passive && (form === "inline" || form === "subscribe"))
    return `it is passive with ${form}; only a run or dispatch tool can be a wait that anything ends`;
  if (needsApproval !== undefined && typeof needsApproval !== "boolean" && typeof needsApproval !== "function")
    return "needsApproval must be true, false, or a function of the arguments";
  if (approval !== undefined && approval !== "allow") return 'approval must be "allow" or left out';
  if (needsApproval && form === "inline")
    return "needsApproval with inline cannot work, because the slice would wait for a person; use run";
  const asks = needsApproval ?? (annotations as { destructive?: unknown } | undefined)?.destructive;
  if (asks && form === "inline" && approval !== "allow")
    return 'it is annotated as destructive, so its calls need approval, and with inline the slice would wait for a person; use run, or set approval: "allow"';
  if (display !== undefined && typeof display !== "function") return "display must be a function";
  if (deadline !== undefined && !(typeof deadline === "number" && deadline > 0 && Number.isFinite(deadline)))
    return `its deadline must be a positive number of milliseconds, not ${text(deadline)}`;
  if (onRestart !== undefined && onRestart !== "again" && onRestart !== "fail")
    return 'onRestart must be "again" or "fail"';
  return undefined;
};

/** Throws ToolDefinitionError when a definition makes no tool. The schema is read elsewhere. */
export const checkDefinition = (definition: unknown): void => {
  if (typeof definition !== "object" || definition === null)
    throw new ToolDefinitionError(
      text(definition),
      "defineTool takes an object with name, description, inputSchema and one behaviour",
    );
  const claim = definition as Claim;
  const problem = problemOf(claim);
  if (problem !== undefined) throw new ToolDefinitionError(text(claim.name), problem);
};

/** The behaviour of a definition that was checked. */
export const behaviourOf = (definition: object): ToolBehaviour => {
  const { run, dispatch, inline, subscribe, resume } = definition as Record<string, never>;
  if (run) return { form: "run", run };
  if (dispatch) return { form: "dispatch", dispatch };
  if (inline) return { form: "inline", inline };
  const again = resume === undefined ? {} : { resume };
  return { form: "subscribe", subscribe: subscribe as never, ...again };
};
