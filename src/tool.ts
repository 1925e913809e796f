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
/** At their addresses, and for their tools, X-Session-ID says which space is meant: none is taken for it. */
const IN_NAMED_SPACE: readonly string[] = ["workspace", "questions"] satisfies Facet[];

export const needsNamedSpace = (facets: readonly string[]): boolean =>
  facets.some((facet) => IN_NAMED_SPACE.includes(facet));
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
  /** Listed at `/mcp`, where a model sees it without having asked for a facet: to all of its roles, or to these alone. */
  core?: boolean | readonly Role[];
  /** For programs that act for an agent: a model has no use for it, and no list shows it. */
  unlisted?: boolean;
  /**
   * By it a program keeps itself going here, or asks whether it may do something: no policy decides about it, and it works
   * while an agent's tools are off. What is a runtime's is refused to the programs that it runs: they would be their own
   * judges.
   */
  upkeep?: "program" | "runtime";
  /** It is about no space that its caller is in: whoever names none may call it. */
  spaceless?: true;
  /** It runs in a transaction, takes an idempotency key, stands in the audit and is not announced as read-only. */
  writes?: boolean;
  /** For these roles it is no mere read: it notes that they were told. To them it is not announced as read-only. */
  receipts?: readonly Role[];
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
 *
 * In its sentences `{name}` is a field, `{name|word}` so many of them (`1 token`, `2 tokens`), a part in `[…]` is left out
 * where a field in it says nothing, and what stands in backquotes is a command to type. Where it depends on what came
 * back which of several is said, they are cases: the first that fits.
 */
export interface ToolCommand extends CommandLooks {
  /** One or two words. */
  name: string;
  summary: string;
  /** Whole command lines, without the leading `parley`. */
  examples: readonly string[];
  details?: string;
  /** Shown by `parley` alone. */
  common?: true;
  /**
   * Arguments that are words of their own, in this order, with what they are. A list, which can only be the last, takes
   * all that are left.
   */
  words?: Readonly<Record<string, string>>;
  /** What the words name, where that is listed somewhere. */
  names?: Readonly<Record<string, Lookup>>;
  /** Arguments that are lengths of time, typed as 90s, 30m or 7d, by what they are called here: `{ ttl_seconds: "ttl" }`. */
  durations?: Readonly<Record<string, string>>;
  /** What other arguments are called here: `{ label: "for" }`. */
  called?: Readonly<Record<string, string>>;
  /** Arguments that are typed as `yes` or `no`: left out, each stays as it is. */
  yes_no?: readonly string[];
  /** Arguments that it needs, though the tool can do without. */
  must?: readonly string[];
  /** Arguments that it does not take. */
  without?: readonly string[];
}

/** A sentence, or the first of these cases whose fields are so. */
export type Says = string | readonly Case[];

export interface Case {
  /** By name; a field of a field has a dot between. */
  when?: Readonly<Record<string, string | number | boolean | null>>;
  says: string;
}

/** What needs nothing of the tool's definition. */
export interface CommandLooks {
  /** The last of the words is a text: it takes all that are left, and `-` reads it from stdin. */
  text?: true;
  /** Arguments that are folders, typed as seen from here. */
  folders?: readonly string[];
  /** Arguments that the command stands for. */
  fixed?: Readonly<Record<string, string | number | boolean>>;
  /** Refused where an agent runs it. */
  people?: true;
  /** As whom it calls may be said with --agent and --session-id. */
  acting?: true;
  /** Which list of the result is printed, and how. */
  rows?: Rows;
  /** Of one thing: which of its fields come first, and which lists and texts are printed below, whole. */
  shows?: {
    /** It is the first of these fields that is there. */
    of?: readonly string[];
    fields: readonly string[];
    tables?: Readonly<Record<string, readonly string[]>>;
    texts?: readonly string[];
  };
  /** Which field names what came back, for `--quiet`; of each row where there are rows. */
  id?: string;
  /** Asked before, with what the words name filled in, where nothing brings back what it does; but not with these. */
  asks?: {
    question: string;
    unless?: readonly string[];
    refused?: string;
    /** Nor where this is 0 of what it is about. */
    counts?: string;
  };
  /** What is said with --dry-run, of what the words name or of what the tool itself answers to these arguments. */
  dry_run?: { says: string; fixed?: Readonly<Record<string, string | number | boolean>> };
  /** What is said when it is done: `Deleted {name}.` */
  says?: Says;
  /** The agent that this argument names is forgotten on this machine too. */
  forgets?: string;
}

interface Rows {
  list: string;
  columns?: readonly string[];
  /** What columns say that are no fields, or lists of things: of each of `of` one sentence. */
  cells?: Readonly<Record<string, Says | { of: string; says: Says }>>;
  /** Said while it is empty. */
  none?: Says;
  /** A sentence for each, in the place of columns. */
  each?: string;
  /** A block for each, in the place of columns: what it is, its title, all that was written, and what follows from it. */
  block?: { about: readonly Says[]; title: string; text: string; below: readonly Says[] };
  /** Which argument goes on with the `next` of a page, or with its `last_id` while it `has_more`. */
  more?: string;
}

/** Where the things are listed that a word of a command names. */
export interface Lookup {
  /** What one of them is called. */
  what: string;
  tool: string;
  args?: Readonly<Record<string, string | number | boolean>>;
  list: string;
  /** Which field names it; `id` if left out. */
  field?: string;
  /** Its name may be cut short, as long as it names one thing. */
  short?: true;
  /** They are listed the newest first, and this argument asks for those before an id; `latest` is the newest. */
  before?: string;
  /** These two arguments ask for what was made between two times, which are what ids begin with. */
  between?: readonly [from: string, until: string];
  /** Where `latest` is looked for: the newest that is listed with any of these arguments. */
  latest?: readonly Readonly<Record<string, string>>[];
  /** A field that those have which count no more. */
  unless?: string;
  /** With which code it is said that there is none, if not NOT_FOUND. */
  code?: string;
}

/** What a door has to know of a tool that waits, so that it can ask again later for who waits longer than a request may. */
export interface Waits<I = never, O = never> {
  /** Whether nothing has come, and the same may be asked again. */
  isPending: (output: O) => boolean;
  /** Under which name a caller waits: a later wait of the same name takes the place of this one. */
  place?: (input: I) => string | undefined;
  /** Notes that the result was handed out, and how, where that is not noted as it is made. */
  handed?: (ctx: Ctx, output: O, how: { channel: string; proof: string }) => Promise<unknown>;
  /** Who sits at the caller's own client may end the wait, where that client can show a form. */
  form?: Form<I>;
}

/** What a person can be asked at a client. That it was a person who filled it in, nobody can tell but that client. */
export interface Form<I = never> {
  /** Undefined where there is nothing to ask, or not by this caller. */
  show: (ctx: Ctx, input: I) => Promise<Asked | undefined>;
  /** What they said. */
  take: (ctx: Ctx, input: I, answer: string) => Promise<unknown>;
}

export interface Asked {
  message: string;
  /** To choose from, and whether nothing else may be said. */
  options: readonly string[] | null;
  options_only: boolean;
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
  if (!/^[a-z][a-z0-9_]{0,39}$/.test(definition.name)) throw new Error(`${definition.name} is not the name of a tool`);
  // `run` is stored with its argument's type hidden: `call.ts` hands it only what `input` parsed.
  return { aliases: [], facets: [], ...definition } as unknown as TypedTool<N, z.input<I>, z.output<O>>;
}
