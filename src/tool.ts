import type { z } from "zod";
import type { Ctx, Role } from "./context.ts";

/** What MCP clients mount as one server: `/mcp/<facet>` lists all of its tools, `/mcp` the core ones of the role. */
export const FACETS = [
  "chat-human",
  "chat-assistant",
  "mail",
  "workspace",
  "questions",
  "tasks",
  "triggers",
  "approvals",
  "loop",
  "admin",
] as const;
export type Facet = (typeof FACETS)[number];
/** What an address lists, in the order of `FACETS`; undefined for the core tools of the role. */
export type Facets = readonly Facet[] | undefined;

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
  /** Listed at `/mcp`, where a model sees it without having asked for a facet. */
  core?: boolean;
  /** For programs that act for an agent: a model has no use for it, and no list shows it. */
  unlisted?: boolean;
  /** It runs in a transaction, takes an idempotency key, stands in the audit and is not announced as read-only. */
  writes?: boolean;
  /** It blocks until something happens: no transaction around it and no idempotency key, even if it writes. */
  waits?: Waits;
  /** Its result holds a secret, which is stored nowhere: not even for a retry, so it takes no idempotency key. */
  secret?: boolean;
  /**
   * The space whose transaction it runs in, where that is not the actor's own. Throws for one that the actor has no
   * business in: to wait for its turn there would tell that the space exists, and how busy it is.
   */
  scope?: (ctx: Ctx, input: never) => string | Promise<string>;
  commands?: readonly ToolCommand[];
  input: z.ZodObject;
  output: z.ZodType;
  run: (ctx: Ctx, input: never) => Promise<object>;
}

/**
 * A command that only calls the tool and prints what came back. `scripts/commands.ts` writes it down for the command
 * line, which must not load the definitions; its options are the tool's arguments, with their descriptions.
 */
export interface ToolCommand {
  /** One or two words. */
  name: string;
  summary: string;
  /** Whole command lines, without the leading `parley`. */
  examples: readonly string[];
  details?: string;
  /**
   * Arguments that are words of their own, in this order, with what they are. A list, which can only be the last, takes
   * all that are left.
   */
  words?: Readonly<Record<string, string>>;
  /** Arguments that the command stands for. */
  fixed?: Readonly<Record<string, string | number | boolean>>;
  /** Arguments that it does not take. */
  without?: readonly string[];
  /** Refused where an agent runs it. */
  people?: true;
  /** As whom it calls may be said with --agent and --session-id. */
  acting?: true;
  /** Which list of the result is printed, by which columns, and what is said while it is empty. */
  rows?: { list: string; columns: readonly string[]; none: string };
  /** Which field names what came back, for `--quiet`; of each row where there are rows. */
  id?: string;
  /** Asked before, with the words filled in, where nothing brings back what it does. */
  asks?: string;
  /** What is said when it is done, with fields of the result and the words filled in: `Deleted {name}.` */
  says?: string;
}

/** What a door has to know of a tool that waits, so that it can ask again later for who waits longer than a request may. */
export interface Waits<I = never, O = never> {
  /** Whether nothing has come, and the same may be asked again. */
  isPending: (output: O) => boolean;
  /** Under which name a caller waits: a later wait of the same name takes the place of this one. */
  place?: (input: I) => string | undefined;
  /** Notes that the result was handed out, and how, where that is not noted as it is made. */
  handed?: (ctx: Ctx, output: O, how: { channel: string; proof: string }) => Promise<unknown>;
}

/** A tool that keeps its types, from which a client's calls are typed. */
export interface TypedTool<N extends string, I, O> extends Tool {
  name: N;
  /** For the compiler alone; never there at run time. */
  types?: { input: I; output: O };
}

interface Definition<N extends string, I extends z.ZodObject, O extends z.ZodType>
  extends Omit<Tool, "name" | "aliases" | "facets" | "input" | "output" | "run" | "scope" | "waits"> {
  name: N;
  aliases?: readonly string[];
  facets?: readonly Facet[];
  input: I;
  output: O;
  scope?: (ctx: Ctx, input: z.output<I>) => string | Promise<string>;
  waits?: Waits<z.output<I>, z.output<O>>;
  run: (ctx: Ctx, input: z.output<I>) => Promise<z.output<O> & object>;
}

export function defineTool<const N extends string, I extends z.ZodObject, O extends z.ZodType>(
  definition: Definition<N, I, O>,
): TypedTool<N, z.input<I>, z.output<O>> {
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(definition.name)) throw new Error(`${definition.name} is no tool name`);
  // `run` is stored with its argument's type hidden: `call.ts` hands it only what `input` parsed.
  return { aliases: [], facets: [], ...definition } as unknown as TypedTool<N, z.input<I>, z.output<O>>;
}
