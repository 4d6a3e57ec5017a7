import { defineTool, type SystemOptions } from "wakeful";
import { z } from "zod";
import { type Post, postAnswers } from "./tenant-posts.ts";
import { createWhenFree } from "./when-free.ts";

/** What the application does for a tenant. */
export interface Tenant {
  /** Tools that a person has to approve. */
  readonly asksBefore: readonly string[];
  /** The same key again is the same refund. */
  refund(order: string, key: string): Promise<string>;
}

/** Made for one tenant: it reaches the orders of no other. */
const refundFor = (tenant: Tenant) =>
  defineTool({
    name: "refund",
    description: "Refund an order.",
    inputSchema: z.object({ order: z.string() }),
    annotations: { idempotent: true },
    run: ({ order }, call) => tenant.refund(order, call.id),
  });

export interface BotOptions extends Pick<SystemOptions, "model" | "store" | "clock" | "logger"> {
  readonly tenants: ReadonlyMap<string, Tenant>;
  readonly post: Post;
  /** Says up to where the feed was posted. */
  readonly cursorFile: string;
}

/** One bot for the chats of all tenants. */
export const tenantBot = async ({ tenants, post, cursorFile, ...options }: BotOptions) => {
  const tenantOf = (name: unknown): Tenant => {
    const tenant = tenants.get(String(name));
    if (!tenant) throw new Error(`${name} is no tenant.`);
    return tenant;
  };
  const system = await createWhenFree({
    ...options,
    builtins: false,
    threadConfig: ({ metadata }) => {
      const tenant = tenantOf(metadata.tenant);
      const approval = Object.fromEntries(tenant.asksBefore.map((name) => [name, "ask" as const]));
      return { instructions: `You serve ${metadata.tenant}.`, tools: [refundFor(tenant)], approval };
    },
  });
  const posting = postAnswers(system, post, cursorFile);
  return {
    /** Resolves once what was said is durable. `id`: what the chat calls it; a second delivery of it is dropped. */
    async hear(tenant: string, chat: string, text: string, id: string): Promise<boolean> {
      tenantOf(tenant);
      const thread = await system.open(`${tenant}/${chat}`, { metadata: { tenant } });
      return thread.send(text, { id });
    },
    async stop(): Promise<void> {
      await system.stop();
      await posting;
    },
  };
};
