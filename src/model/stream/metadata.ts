import type { JsonObject } from "../../../machines/history/json.ts";

/** What a provider wants back with a block, by provider. */
export type Metadata = Readonly<Record<string, JsonObject>>;

/** What start, deltas and end of a block say together: a provider's later word replaces its earlier one. */
export const merged = (before: Metadata | undefined, after: unknown): Metadata | undefined =>
  after === undefined || after === null ? before : { ...before, ...(after as Metadata) };

/** A provider that says nothing in its metadata signed nothing. */
export const isSaid = (metadata: Metadata | undefined): metadata is Metadata =>
  metadata !== undefined && Object.values(metadata).some((one) => Object.keys(one ?? {}).length > 0);

/** The field of a block; as the provider gave it, but for what no JSON can hold. */
export const asField = (metadata: Metadata | undefined): { readonly providerMetadata?: Record<string, JsonObject> } =>
  isSaid(metadata) ? { providerMetadata: JSON.parse(JSON.stringify(metadata)) } : {};
