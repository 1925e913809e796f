/** Whether something is a policy, and what is wrong with which rule where it is not. */
import { z } from "zod";
import { ParleyError } from "../../../errors.ts";
import { type PolicyDocument, type Predicate, Risk, type Rule, Ruling, type Scalar, Suspicion } from "../schema.ts";
import { canonical } from "./canonical.ts";
import { strictJson } from "./strict.ts";

const MOST_RULES = 2000;
const MOST_PREDICATES = 20;
const MOST_TEXT = 2000;
const MOST_NAME = 200;
const MOST_LISTED = 100;
const MOST_CHARACTERS = 1_000_000;

const RULE_KEYS = ["tool", "server", "mount", "agent", "hint", "when", "decision", "risk", "reason", "expires_at"];
/** To the minute, or in as much detail as there is. */
const Time = z.union([z.iso.datetime({ offset: true }), z.iso.datetime({ offset: true, precision: -1 })]);

/** As somebody gives one, as an object or as its text: of neither is anything lost. */
export const givenDocument = (given: unknown): PolicyDocument => checkedDocument(whole(given, "The policy"));
export const givenRule = (given: unknown): Rule => checkedRule(whole(given, "The rule"));

function whole(given: unknown, what: string): unknown {
  if (typeof given !== "string") {
    // For its numbers, of which some were rounded on the way here.
    canonical(given);
    return given;
  }
  if (given.length > 2 * MOST_CHARACTERS) throw refused(what, "it is too long");
  return strictJson(given, { what, is: "it is" });
}

/** Throws with a sentence, so that what is not valid never takes the place of what is. */
export function checkedDocument(given: unknown): PolicyDocument {
  const document = membersOf(given, "The policy", ["rules", "default"]);
  const rules = document.get("rules") ?? [];
  if (!Array.isArray(rules)) throw refused("The policy", "rules is a list");
  if (rules.length > MOST_RULES) throw refused("The policy", `it has at most ${MOST_RULES} rules`);
  const checked = {
    rules: rules.map((rule, at) => checkedRule(rule, `Rule ${at + 1}`)),
    default: rulingOf(document.get("default") ?? "ask", "The policy", "default"),
  };
  if (JSON.stringify(checked).length > MOST_CHARACTERS) throw refused("The policy", "it is too long");
  return checked;
}

function checkedRule(given: unknown, which = "The rule"): Rule {
  const rule = membersOf(given, which, RULE_KEYS);
  const expires_at = rule.get("expires_at");
  const decision = rulingOf(rule.get("decision"), which, "decision");
  return {
    tool: textOf(rule.get("tool"), which, { name: "tool", most: MOST_NAME }),
    ...optional(rule, which, "server", MOST_NAME),
    ...optional(rule, which, "mount", MOST_NAME),
    ...optional(rule, which, "agent", MOST_NAME),
    ...(rule.has("hint") && { hint: hintOf(rule.get("hint"), which, decision) }),
    ...(rule.has("when") && { when: predicatesOf(rule.get("when"), which) }),
    decision,
    ...(rule.has("risk") && { risk: riskOf(rule.get("risk"), which, decision) }),
    ...optional(rule, which, "reason", MOST_TEXT),
    ...(expires_at !== undefined && { expires_at: timeOf(expires_at, which) }),
  };
}

/** Its own, by their names as data: no name means anything else here. */
function membersOf(given: unknown, which: string, known: readonly string[]): Map<string, unknown> {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw refused(which, `it is an object with ${known.join(", ")}`);
  const members = new Map(Object.entries(given));
  for (const name of members.keys())
    if (!known.includes(name))
      throw refused(which, `there is no ${JSON.stringify(name)} here, only ${known.join(", ")}`);
  return members;
}

function rulingOf(given: unknown, which: string, name: string): Ruling {
  const ruling = Ruling.safeParse(given);
  if (!ruling.success) throw refused(which, `${name} is one of ${Ruling.options.join(", ")}`);
  return ruling.data;
}

function riskOf(given: unknown, which: string, decision: Ruling): Risk {
  const risk = Risk.safeParse(given);
  if (!risk.success) throw refused(which, `risk is one of ${Risk.options.join(", ")}`);
  if (decision !== "ask") throw refused(which, "risk is said of what is asked about: its decision is ask");
  return risk.data;
}

function hintOf(given: unknown, which: string, decision: Ruling): Suspicion {
  const hint = Suspicion.safeParse(given);
  if (!hint.success) throw refused(which, `hint is one of ${Suspicion.options.join(", ")}`);
  if (decision === "allow") throw refused(which, "a hint is what a server says of itself: by it nothing is allowed");
  return hint.data;
}

function textOf(given: unknown, which: string, { name, most }: { name: string; most: number }): string {
  if (typeof given !== "string" || given.trim() === "") throw refused(which, `${name} is a text`);
  if (given.length > most) throw refused(which, `${name} has at most ${most} characters`);
  return given;
}

const optional = (rule: Map<string, unknown>, which: string, name: string, most: number) =>
  rule.has(name) ? { [name]: textOf(rule.get(name), which, { name, most }) } : {};

function timeOf(given: unknown, which: string): string {
  const time = Time.safeParse(given);
  const iso = time.success ? new Date(time.data).toISOString() : "";
  // By its zone it may be in another year than it says: one that has five digits sorts before all others.
  if (!Time.safeParse(iso).success) throw refused(which, "expires_at is a time such as 2027-03-01T09:00:00Z");
  return iso;
}

function predicatesOf(given: unknown, which: string): Record<string, Predicate> {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw refused(which, 'when is an object of paths, such as {"cmd.0": "git"}');
  const entries = Object.entries(given);
  if (entries.length > MOST_PREDICATES) throw refused(which, `when has at most ${MOST_PREDICATES} paths`);
  // Data properties, whatever they are called.
  return Object.fromEntries(entries.map(([path, predicate]) => [path, predicateOf(predicate, `${which}, ${path}`)]));
}

function predicateOf(given: unknown, which: string): Predicate {
  if (isScalar(given)) return given;
  const [[kind, value] = [], ...more] = typeof given === "object" && given !== null ? Object.entries(given) : [];
  if (more.length > 0 || Array.isArray(given)) throw notAPredicate(which);
  if (kind === "in" && Array.isArray(value) && value.length <= MOST_LISTED && value.every(isScalar))
    return { in: value };
  if (kind === "is" && canonical(value).length <= MOST_CHARACTERS) return { is: value };
  if (kind === "prefix") return { prefix: textOf(value, which, { name: "prefix", most: MOST_TEXT }) };
  if (kind === "glob") return { glob: textOf(value, which, { name: "glob", most: MOST_TEXT }) };
  throw notAPredicate(which);
}

const isScalar = (given: unknown): given is Scalar =>
  given === null || ["string", "boolean"].includes(typeof given) || Number.isFinite(given);

const notAPredicate = (which: string): ParleyError =>
  refused(which, 'it is a value, {"in": […]}, {"is": …}, {"prefix": "…"} or {"glob": "…"}');

const refused = (which: string, what: string): ParleyError =>
  new ParleyError("INVALID_ARGUMENT", `${which}: ${what}. Nothing was changed.`);
