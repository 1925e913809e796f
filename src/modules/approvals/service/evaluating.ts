/** What the policy says about one call. Pure: the same for a call that is made and for one that is looked back at. */
import type { Covers, Executes, Hint, PolicyDocument, Risk, Rule, Ruling, Suspicion } from "../schema.ts";
import { BUILT_IN, HUB_SERVER } from "./built-in.ts";
import { clientRisk } from "./client-tools.ts";
import { ALL, Given, type Test, testsOf } from "./matching.ts";

export interface Call {
  agent: string;
  server: string;
  /** Which program is mounted under that name; left out where none is. */
  mount?: string;
  tool: string;
  arguments: unknown;
  /** `preview` where these are not all of them; left out, they are. */
  covers?: Covers;
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

/**
 * A document made ready. Each rule stands under what it names exactly (its tool, its agent, all arguments), so that a
 * call meets those alone that may be about it, however many others there are.
 */
export interface Policy {
  /** By tool, then by agent. */
  rules: ReadonlyMap<string, ReadonlyMap<string | undefined, Bucket>>;
  fallback: Ruling;
}

interface Bucket {
  /** In their order, as all of these. */
  others: Placed[];
  /** The rules for exactly these arguments, by their canonical text. */
  exact: Map<string, Placed[]>;
}

interface Placed extends Rule {
  /** Its place in the document, from 1; null for what everybody may do. */
  at: number | null;
  order: number;
  tests: readonly Test[];
}

export const ANY_TOOL = "*";

export function compile({ rules, default: fallback }: PolicyDocument): Policy {
  const made = new Map<string, Map<string | undefined, Bucket>>();
  for (const [order, rule] of [...rules, ...BUILT_IN].entries()) {
    const tests = testsOf(rule.when);
    const placed = { ...rule, at: order < rules.length ? order + 1 : null, order, tests };
    const agents = had(made, rule.tool, () => new Map<string | undefined, Bucket>());
    const { others, exact } = had(agents, rule.agent, (): Bucket => ({ others: [], exact: new Map() }));
    const whole = tests.find(({ path }) => path === ALL)?.text ?? null;
    const list = whole === null ? others : had(exact, whole, (): Placed[] => []);
    list.push(placed);
  }
  return { rules: made, fallback };
}

function had<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** The first rule that matches decides. Throws where that cannot be worked out, as by a policy that cannot be read. */
export function evaluate(policy: Policy | null, call: Call, now: string): Ruled {
  if (!policy) throw new Error("the policy cannot be read");
  const given = new Given(call.arguments);
  const lists = listsFor(policy, call, given);
  const met = lists.map(() => 0);
  let elsewhere = false;
  for (;;) {
    const [rule, list] = firstOf(lists, met);
    if (!rule) return ruledBy({ decision: policy.fallback, at: null }, call, elsewhere);
    if (isAbout(rule, call, now)) {
      const fits = rule.tests.every((test) => given.holds(test));
      if (isOfUnseen(rule, call)) {
        if (rule.decision !== "allow") return ruledBy(fits ? rule : asking(rule), call, elsewhere);
      } else if (fits && isMounted(rule, call)) return ruledBy(rule, call, elsewhere);
      else elsewhere ||= fits && rule.decision === "allow";
    }
    met[list] = (met[list] ?? 0) + 1;
  }
}

function listsFor({ rules }: Policy, { tool, agent, covers }: Call, given: Given): (readonly Placed[])[] {
  const lists: (readonly Placed[])[] = [];
  for (const agents of [rules.get(tool), rules.get(ANY_TOOL)])
    for (const bucket of [agents?.get(agent), agents?.get(undefined)]) {
      if (!bucket) continue;
      lists.push(bucket.others);
      if (bucket.exact.size === 0) continue;
      if (covers === "preview") lists.push([...bucket.exact.values()].flat().sort((a, b) => a.order - b.order));
      else lists.push(bucket.exact.get(given.text()) ?? []);
    }
  return lists;
}

/** Of what was not met yet, and from which list it is. */
function firstOf(lists: readonly (readonly Placed[])[], met: readonly number[]): [Placed | undefined, number] {
  let [first, list]: [Placed | undefined, number] = [undefined, -1];
  for (const [at, one] of lists.entries()) {
    const next = one[met[at] ?? 0];
    if (next && (!first || next.order < first.order)) [first, list] = [next, at];
  }
  return [first, list];
}

/** Who is asked although a rule allows the same of another program is told so. */
function ruledBy(rule: Pick<Placed, "decision" | "at" | "reason" | "risk">, call: Call, elsewhere: boolean): Ruled {
  const { decision, at, risk = ownRisk(call) } = rule;
  const other = `A rule allows it for another program, which was mounted as ${call.server}: not for this one.`;
  return { decision, rule: at, reason: rule.reason ?? (elsewhere && decision === "ask" ? other : null), risk };
}

/** A server may make people more careful with its tools. That one says to be harmless changes nothing. */
const ownRisk = (call: Call): Risk => (call.hints.includes("destructive") ? "medium" : (clientRisk(call) ?? "low"));

export type RuledOrFailed = Omit<Ruled, "decision"> & { decision: Ruling | "failed" };

/** Whatever breaks, nothing runs because of it. */
export function evaluateOrFail(policy: Policy | null, call: Call, now: string): RuledOrFailed {
  try {
    return evaluate(policy, call, now);
  } catch {
    return { decision: "failed", rule: null, reason: null, risk: "high" };
  }
}

function isAbout(rule: Placed, call: Call, now: string): boolean {
  if (rule.agent !== undefined && rule.agent !== call.agent) return false;
  if (rule.server !== undefined && rule.server !== call.server) return false;
  if (rule.hint !== undefined && !isSuspected(rule.hint, call)) return false;
  return rule.expires_at === undefined || rule.expires_at > now;
}

/** By what is not shown nothing is allowed, and what might be denied for it a person looks at. */
const isOfUnseen = (rule: Placed, call: Call): boolean =>
  call.covers === "preview" && rule.tests.length > 0 && isMounted(rule, call);

const asking = (rule: Placed): Placed =>
  rule.decision === "ask" ? rule : { ...rule, decision: "ask", reason: MAY_DENY };

const MAY_DENY = "A rule may deny it: it goes by arguments that are not all shown.";

/** Under a server's name somebody else may have mounted another program. */
const isMounted = (rule: Rule, { mount = "" }: Call): boolean => rule.mount === undefined || rule.mount === mount;

/** The hub's own tools are known by their names. */
const isSuspected = (hint: Suspicion, { server, hints }: Call): boolean =>
  server !== HUB_SERVER && (hint === "writes" ? !hints.includes("read_only") : hints.includes(hint));
