/** What the policy says about one call. Pure: the same for a call that is made and for one that is looked back at. */
import type { Executes, Hint, PolicyDocument, Predicate, Risk, Rule, Ruling, Suspicion } from "../schema.ts";
import { BUILT_IN, HUB_SERVER } from "./built-in.ts";
import { canonical } from "./canonical.ts";
import { clientRisk } from "./client-tools.ts";

export interface Call {
  agent: string;
  server: string;
  tool: string;
  arguments: unknown;
  /** What its server says of the tool. */
  hints: readonly Hint[];
  executes: Executes;
}

export interface Ruled {
  decision: Ruling;
  /** Its place in the document, from 1; null for what everybody may do, and for the default. */
  rule: number | null;
  reason: string | null;
  /** As the rule says; where none says it, by the hints and by what is known of clients' own tools. */
  risk: Risk;
}

/** A document made ready: the rules of a tool are found by its name, however many others there are. */
export interface Policy {
  /** Of each tool that a rule names, those rules and the ones for all, in their order. */
  by_tool: ReadonlyMap<string, readonly Placed[]>;
  /** The rules for all tools. */
  any: readonly Placed[];
  fallback: Ruling;
}

interface Placed extends Rule {
  at: number | null;
}

export const ANY_TOOL = "*";
/** Comparisons of characters that one call may cost: beyond it nothing is decided, and nothing runs. */
const MOST_STEPS = 2_000_000;

export function compile({ rules, default: fallback }: PolicyDocument): Policy {
  const placed: Placed[] = [
    ...rules.map((rule, at) => ({ ...rule, at: at + 1 })),
    ...BUILT_IN.map((rule) => ({ ...rule, at: null })),
  ];
  const any: Placed[] = [];
  const by_tool = new Map<string, Placed[]>();
  // In one pass: whoever is met first has the rules for all that came before, too.
  for (const rule of placed) {
    if (rule.tool === ANY_TOOL) {
      any.push(rule);
      for (const own of by_tool.values()) own.push(rule);
    } else {
      const own = by_tool.get(rule.tool) ?? [...any];
      by_tool.set(rule.tool, own);
      own.push(rule);
    }
  }
  return { by_tool, any, fallback };
}

/** The first rule that matches decides. Throws where that cannot be worked out. */
export function evaluate(policy: Policy, call: Call, now: string): Ruled {
  const budget = { steps: MOST_STEPS };
  for (const rule of policy.by_tool.get(call.tool) ?? policy.any)
    if (matches(rule, call, { now, budget })) return ruledBy(rule, call);
  return { decision: policy.fallback, rule: null, reason: null, risk: ownRisk(call) };
}

const ruledBy = ({ decision, at: rule, reason, risk }: Placed, call: Call): Ruled => ({
  ...{ decision, rule, reason: reason ?? null },
  risk: risk ?? ownRisk(call),
});

/** A server may make people more careful with its tools. That one says to be harmless changes nothing. */
const ownRisk = (call: Call): Risk => (call.hints.includes("destructive") ? "medium" : (clientRisk(call) ?? "low"));

export type RuledOrFailed = Omit<Ruled, "decision"> & { decision: Ruling | "failed" };

/** Whatever breaks, nothing runs because of it. */
export function evaluateOrFail(policy: Policy, call: Call, now: string): RuledOrFailed {
  try {
    return evaluate(policy, call, now);
  } catch {
    return { decision: "failed", rule: null, reason: null, risk: "high" };
  }
}

interface Budget {
  steps: number;
}

function matches(rule: Rule, call: Call, { now, budget }: { now: string; budget: Budget }): boolean {
  if (rule.agent !== undefined && rule.agent !== call.agent) return false;
  if (rule.server !== undefined && rule.server !== call.server) return false;
  if (rule.hint !== undefined && !isSuspected(rule.hint, call)) return false;
  if (rule.expires_at !== undefined && rule.expires_at <= now) return false;
  return Object.entries(rule.when ?? {}).every(([path, predicate]) => {
    const found = at(call.arguments, path);
    return found !== undefined && holds(predicate, found, budget);
  });
}

/** The hub's own tools are known by their names. */
const isSuspected = (hint: Suspicion, { server, hints }: Call): boolean =>
  server !== HUB_SERVER && (hint === "writes" ? !hints.includes("read_only") : hints.includes(hint));

/** What stands at a path such as `cmd.0`; the empty one is all of it. A dot in a name is written `\.`. */
function at(value: unknown, path: string): unknown {
  if (path === "") return value;
  let found = value;
  for (const part of path.split(/(?<!\\)\./)) {
    const name = part.replaceAll("\\.", ".");
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, name)) return undefined;
    // Of a list its members alone: it has a length of its own, too.
    if (Array.isArray(found) && !/^(0|[1-9]\d*)$/.test(name)) return undefined;
    // It has that property.
    found = (found as Record<string, unknown>)[name];
  }
  return found;
}

function holds(predicate: Predicate, found: unknown, budget: Budget): boolean {
  if (typeof predicate !== "object" || predicate === null) return predicate === found;
  if ("in" in predicate) return predicate.in.some((one) => one === found);
  if ("is" in predicate) return canonical(predicate.is) === canonical(found);
  if (typeof found !== "string") return false;
  return "prefix" in predicate ? found.startsWith(predicate.prefix) : isLike(found, predicate.glob, budget);
}

/** `*` stands for any characters, `?` for one. Never slower than both lengths multiplied, and bounded even so. */
function isLike(text: string, glob: string, budget: Budget): boolean {
  let [t, g, star, from] = [0, 0, -1, 0];
  while (t < text.length) {
    budget.steps -= 1;
    if (budget.steps < 0) throw new Error("the rules take too long to compare");
    if (glob[g] === "*") [star, from, g] = [g, t, g + 1];
    else if (g < glob.length && (glob[g] === "?" || glob[g] === text[t])) [t, g] = [t + 1, g + 1];
    else if (star >= 0) [from, t, g] = [from + 1, from + 1, star + 1];
    else return false;
  }
  while (glob[g] === "*") g += 1;
  return g === glob.length;
}
