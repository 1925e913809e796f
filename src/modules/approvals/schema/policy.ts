import { z } from "zod";
import { Id } from "../../../ids.ts";
import { Name, PrincipalName } from "../../identity/index.ts";

const Time = z.iso.datetime();

export const Ruling = z.enum(["allow", "ask", "deny_continue", "deny_abort"]);
export type Ruling = z.infer<typeof Ruling>;

/** How much harm a call may do: low is approved with others, medium by itself, high by itself and by more than a click. */
export const Risk = z.enum(["low", "medium", "high"]);
export type Risk = z.infer<typeof Risk>;

/** What a server says of a tool of its own. Nobody has checked it: it makes nobody less careful. */
export const Hint = z.enum(["read_only", "destructive", "open_world"]);
export type Hint = z.infer<typeof Hint>;

/** What a rule may ask of that. `writes`: it was not said that it only reads. */
export const Suspicion = z.enum(["writes", "destructive", "open_world"]);
export type Suspicion = z.infer<typeof Suspicion>;

export type Scalar = string | number | boolean | null;
/** Equal to it, one of several, equal to it with all that is in it, or a text that begins or looks like this. */
export type Predicate = Scalar | { in: readonly Scalar[] } | { is: unknown } | { prefix: string } | { glob: string };

export interface Rule {
  /** As the model calls it, or `*` for all. */
  tool: string;
  server?: string;
  /** Which program it is that is mounted under that name, by its fingerprint. */
  mount?: string;
  agent?: string;
  /** Of tools of mounted servers; of a rule that allows nothing. */
  hint?: Suspicion;
  /** By path into the arguments, such as `cmd.0`. */
  when?: Readonly<Record<string, Predicate>>;
  decision: Ruling;
  /** Of what is asked about. */
  risk?: Risk;
  reason?: string;
  expires_at?: string;
}

export interface PolicyDocument {
  rules: readonly Rule[];
  default: Ruling;
}

/** Checked by `service/checking.ts`, which says what is wrong with which rule; zod would drop a key `__proto__`. */
const Anything = z.unknown();
export const MOST_REASON = 1000;
const reason = z.string().max(MOST_REASON, `a reason has at most ${MOST_REASON} characters`);

export const GetPolicy = z.strictObject({ version: z.int().min(0).optional().describe("An earlier one.") });
export type GetPolicy = z.infer<typeof GetPolicy>;

const PolicyVersion = z.object({
  version: z.int().describe("0 while nobody has set one."),
  set_by: Name.nullable(),
  set_at: Time.nullable(),
  note: z.string(),
});

export const Policy = PolicyVersion.extend({
  document: Anything.describe(
    "{rules: [{tool, server?, mount?, agent?, hint?, when?, decision, risk?, reason?, expires_at?}], default}",
  ),
  words: z.array(z.string()).describe("Each rule as a sentence, in their order, then the default."),
  built_in: z.array(z.string()).describe("The hub's own tools that everybody may use where no rule says otherwise."),
});
export type Policy = z.infer<typeof Policy>;

export const SetPolicy = z.strictObject({
  document: Anything.describe(
    'A policy or its text, such as {"rules": [{"tool": "runtime_exec", "when": {"cmd.0": "git"}, "decision": "allow"}], "default": "ask"}.',
  ),
  expected_version: z.int().min(0).describe("The version it was made from."),
  note: reason.default("").describe("Why, for the history."),
});
export type SetPolicy = z.infer<typeof SetPolicy>;

export const ListVersions = z.strictObject({
  limit: z.int().min(1).max(100).default(20).describe("At most so many."),
  before: z.int().min(1).optional().describe("The next of the last page."),
});
export type ListVersions = z.infer<typeof ListVersions>;
export const VersionList = z.object({
  versions: z.array(PolicyVersion.extend({ rules: z.int() })).describe("Newest first."),
  next: z.int().nullable(),
});
export type VersionList = z.infer<typeof VersionList>;

export const PreviewPolicy = z.strictObject({
  rule: Anything.optional().describe("A draft rule or its text, in the place where it would go if it were accepted."),
  document: Anything.optional().describe("Or a whole draft, in the place of a rule."),
  limit: z.int().min(1).max(100).default(20).describe("At most so many calls."),
  before: Id.optional().describe("The next of the last page."),
});
export type PreviewPolicy = z.infer<typeof PreviewPolicy>;

const PreviewedCall = z.object({
  id: Id,
  agent: PrincipalName,
  server: z.string(),
  tool: z.string(),
  arguments: z.string().describe("As JSON, cut where it is long."),
  asked_at: Time,
  decision: Ruling.describe("What the policy says now."),
  would: Ruling.describe("What the draft says."),
});
export type PreviewedCall = z.infer<typeof PreviewedCall>;

const Tally = z.object({ allow: z.int(), ask: z.int(), deny_continue: z.int(), deny_abort: z.int() });
export type Tally = z.infer<typeof Tally>;

export const Preview = z.object({
  words: z.string().describe("What the draft comes to, as a sentence."),
  rule_words: z.string().nullable(),
  looked_at: z.int().describe("How many calls there were."),
  changed: Tally.describe("How many of them would be decided otherwise, by how."),
  calls: z.array(PreviewedCall).describe("Those, newest first."),
  next: Id.nullable(),
});
export type Preview = z.infer<typeof Preview>;
