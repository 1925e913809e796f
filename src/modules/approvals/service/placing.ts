/** Where a rule goes that somebody proposed. */
import type { PolicyDocument, Predicate, Rule } from "../schema.ts";
import { canonical } from "./canonical.ts";
import { checkedDocument } from "./checking.ts";
import { ANY_TOOL } from "./evaluating.ts";
import { ALL, Given, namesIn, type Test, testsOf } from "./matching.ts";

/**
 * Behind every rule that denies what it could be about, so that what is denied stays denied; behind every rule that asks
 * about something more particular, so that an accepted rule takes nobody's question away that it does not name; and
 * before what else there is.
 */
export function withRule({ rules, default: fallback }: PolicyDocument, rule: Rule): PolicyDocument {
  const place = rules.findLastIndex((one) => holdsBack(one, rule)) + 1;
  return checkedDocument({ rules: [...rules.slice(0, place), rule, ...rules.slice(place)], default: fallback });
}

function holdsBack(one: Rule, rule: Rule): boolean {
  if (one.decision === "allow" || isApart(one, rule)) return false;
  if (one.decision !== "ask") return true;
  return !rule.decision.startsWith("deny") && !isAsWide(one, rule);
}

const NAMES = ["server", "mount", "agent"] as const;

/** No call is about both, as far as can be told from them. */
const isApart = (one: Rule, rule: Rule): boolean =>
  (one.tool !== rule.tool && one.tool !== ANY_TOOL && rule.tool !== ANY_TOOL) ||
  NAMES.some((name) => one[name] !== undefined && rule[name] !== undefined && one[name] !== rule[name]) ||
  testsOf(one.when).some((test) => settled(test, rule) === false) ||
  testsOf(rule.when).some((test) => settled(test, one) === false);

/** Whatever the rule is about, the other one is about, too: it asks about nothing that the rule leaves open. */
function isAsWide(one: Rule, rule: Rule): boolean {
  if (one.tool !== rule.tool && one.tool !== ANY_TOOL) return false;
  if (NAMES.some((name) => one[name] !== undefined && one[name] !== rule[name])) return false;
  // Who names the tool knows what its server says of it.
  const names = one.tool === ANY_TOOL && rule.tool !== ANY_TOOL;
  if (one.hint !== undefined && one.hint !== rule.hint && !names) return false;
  return testsOf(one.when).every((test) => settled(test, rule) === true);
}

/** Whether a predicate holds for all that a rule is about, or for none of it; undefined where the rule leaves it open. */
function settled(test: Test, { when = {} }: Rule): boolean | undefined {
  const same = Object.hasOwn(when, test.path) ? when[test.path] : undefined;
  if (same !== undefined && canonical(same) === canonical(test.predicate)) return true;
  for (const [path, predicate] of Object.entries(when)) {
    const names = namesIn(path);
    if (names.some((name, at) => name !== test.names[at])) continue;
    const inside = { ...test, path: ALL, names: test.names.slice(names.length) };
    const answers = new Set(valuesOf(predicate).map((value) => holds(inside, value)));
    const [answer] = answers;
    if (answers.size === 1 && answer !== undefined) return answer;
  }
  return undefined;
}

/** All that may stand where a predicate holds; none where they cannot be counted. */
function valuesOf(predicate: Predicate): readonly unknown[] {
  if (typeof predicate !== "object" || predicate === null) return [predicate];
  if ("is" in predicate) return [predicate.is];
  return "in" in predicate ? predicate.in : [];
}

function holds(test: Test, value: unknown): boolean | undefined {
  try {
    return new Given(value).holds(test);
  } catch {
    // It takes too long to compare: then it is not known, and the rule is held back.
    return undefined;
  }
}
