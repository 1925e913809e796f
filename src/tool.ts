import type { z } from "zod";
import type { Ctx, Role } from "./context.ts";

/** What MCP clients mount as one server; `/mcp/<facet>` serves its tools alone. */
export const FACETS = [
  "chat-human",
  "chat-assistant",
  "mail",
  "workspace",
  "tasks",
  "triggers",
  "approvals",
  "loop",
] as const;
export type Facet = (typeof FACETS)[number];

/**
 * One operation, defined once and served at every door: as an MCP tool, as
 * `POST /api/tools/<name>`, through `POST /api/mcp/call`, by the CLI and in the
 * reference. `call.ts` puts validation, roles, idempotency and the rest around `run`.
 */
export interface Tool {
  /** `[a-z0-9_]`, at most 40 characters: several clients reject anything else. */
  name: string;
  /** Other names it answers to; never listed. */
  aliases: readonly string[];
  title: string;
  /** Product text, read by a model: what it does, when to use it, what comes back. */
  description: string;
  /** Having any of these is enough. */
  roles: readonly Role[];
  facets: readonly Facet[];
  /** For programs that act for an agent: a model has no use for it, and no list shows it. */
  unlisted?: boolean;
  /** `wait` blocks until something happens and so takes no idempotency key. */
  effect: "read" | "write" | "wait";
  /** Its result holds a secret, which is stored nowhere: not even for a retry, so it takes no idempotency key. */
  secret?: boolean;
  /**
   * The space whose transaction it runs in, where that is not the actor's own. Throws for one that the actor has no
   * business in: to wait for its turn there would tell that the space exists, and how busy it is.
   */
  scope?: (ctx: Ctx, input: never) => string | Promise<string>;
  input: z.ZodObject;
  output: z.ZodType;
  run: (ctx: Ctx, input: never) => Promise<object>;
}

/** A tool that keeps its types, from which a client's calls are typed. */
export interface TypedTool<N extends string, I, O> extends Tool {
  name: N;
  /** For the compiler alone; never there at run time. */
  types?: { input: I; output: O };
}

interface Definition<N extends string, I extends z.ZodObject, O extends z.ZodType>
  extends Omit<Tool, "name" | "aliases" | "facets" | "input" | "output" | "run" | "scope"> {
  name: N;
  aliases?: readonly string[];
  facets?: readonly Facet[];
  input: I;
  output: O;
  scope?: (ctx: Ctx, input: z.output<I>) => string | Promise<string>;
  run: (ctx: Ctx, input: z.output<I>) => Promise<z.output<O> & object>;
}

export function defineTool<const N extends string, I extends z.ZodObject, O extends z.ZodType>(
  definition: Definition<N, I, O>,
): TypedTool<N, z.input<I>, z.output<O>> {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(definition.name)) throw new Error(`${definition.name} is no tool name`);
  // `run` is stored with its argument's type hidden: `call.ts` hands it only what `input` parsed.
  return { aliases: [], facets: [], ...definition } as unknown as TypedTool<N, z.input<I>, z.output<O>>;
}
