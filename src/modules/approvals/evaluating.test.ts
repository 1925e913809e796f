import fc from "fast-check";
import { expect, test } from "vitest";
import type { PolicyDocument, Rule, Ruling } from "./schema.ts";
import { type Call, compile, evaluate, type Policy } from "./service/evaluating.ts";

const NOW = "2027-03-01T08:00:00.000Z";

const tool = fc.constantFrom("t", "u", "whoami", "constructor");
const agent = fc.constantFrom("scout", "mason");
const mount = fc.constantFrom("m1", "m2");
const server = fc.constantFrom("parley", "files");
const value = fc.constantFrom<unknown>("a", "ab", 1, null, ["x"], { deep: "a" });
const given = fc.dictionary(fc.constantFrom("a", "b", "__proto__"), value, { maxKeys: 2, noNullPrototype: true });
const call: fc.Arbitrary<Call> = fc.record({
  ...{ tool, agent, server, mount, arguments: given },
  hints: fc.subarray(["read_only", "destructive", "open_world"] as const),
  executes: fc.constantFrom("runtime", "client"),
});
const predicate = fc.oneof(
  fc.constantFrom("a", 1, null, { in: ["a", 1] }, { prefix: "a" }, { glob: "*b" }),
  value.map((is) => ({ is })),
);
const when = fc.oneof(
  fc.dictionary(fc.constantFrom("a", "b", "a.deep"), predicate, { maxKeys: 2, noNullPrototype: true }),
  given.map((is) => ({ "": { is } })),
);
const rule: fc.Arbitrary<Rule> = fc
  .record(
    {
      ...{ tool: fc.oneof(tool, fc.constant("*")), agent, server, mount, when },
      hint: fc.constantFrom("writes", "destructive", "open_world"),
      decision: fc.constantFrom<Ruling>("allow", "ask", "deny_continue", "deny_abort"),
      expires_at: fc.constantFrom("2027-01-01T00:00:00.000Z", "2028-01-01T00:00:00.000Z"),
    },
    { requiredKeys: ["tool", "decision"] },
  )
  // Every member is either there or not.
  .map((made) => made as Rule);

/** Each rule by itself, in their order: what the first that is about the call says. */
function walk(alone: readonly Policy[], asked: Call) {
  const ruled = alone.map((policy) => evaluate(policy, asked, NOW));
  const at = ruled.findIndex(({ rule }) => rule !== null);
  return { decision: (ruled[at] ?? evaluate(NO_RULES, asked, NOW)).decision, rule: at < 0 ? null : at + 1 };
}

const NO_RULES = compile({ rules: [], default: "ask" });

test("what is decided by the index of a document is what its first rule that matches says", () => {
  fc.assert(
    fc.property(fc.array(rule, { maxLength: 12 }), fc.array(call, { minLength: 1, maxLength: 8 }), (rules, calls) => {
      const policy = compile({ rules, default: "ask" });
      const alone = rules.map((one) => compile({ rules: [one], default: "ask" }));
      for (const asked of calls) {
        const { decision, rule: at } = evaluate(policy, asked, NOW);
        expect({ decision, rule: at }).toEqual(walk(alone, asked));
      }
    }),
    { numRuns: 300 },
  );
});

test("POLICY-18: by arguments that are not shown nothing is allowed, and what a rule may deny for them a person looks at", () => {
  const hidden = { tool: "t", agent: "scout", server: "acp", arguments: {}, hints: [], executes: "client" } as const;
  const ruled = (rules: Rule[], covers: "preview" | "arguments" = "preview") =>
    evaluate(compile({ rules, default: "allow" }), { ...hidden, covers }, NOW).decision;
  const allow: Rule = { tool: "t", decision: "allow" };
  for (const decision of ["deny_continue", "deny_abort"] as const)
    for (const when of [{ cmd: "rm" }, { "": { is: { cmd: "rm" } } }]) {
      expect(ruled([{ tool: "t", when, decision }, allow])).toBe("ask");
      expect(ruled([{ tool: "t", when, decision }, allow], "arguments")).toBe("allow");
      expect(ruled([{ tool: "u", when, decision }, allow])).toBe("allow");
      expect(ruled([{ tool: "t", mount: "m1", when, decision }, allow])).toBe("allow");
    }
  expect(ruled([{ tool: "t", when: { cmd: "rm" }, decision: "ask" }, allow])).toBe("ask");
  // What is shown of them may be the whole of another call.
  const whole = { "": { is: {} } };
  expect(ruled([{ tool: "t", when: whole, decision: "deny_abort" }, allow])).toBe("deny_abort");
  const never: Rule = { tool: "*", decision: "deny_continue" };
  expect(ruled([{ tool: "t", when: whole, decision: "allow" }, never])).toBe("deny_continue");
  expect(ruled([{ tool: "t", when: whole, decision: "allow" }, never], "arguments")).toBe("allow");
});

test("arguments are written out once for all rules that compare them, and what that costs is counted", () => {
  const depth = 60;
  const deep = (levels: number): unknown => (levels === 0 ? "x".repeat(90_000) : { a: deep(levels - 1) });
  const paths = Array.from({ length: depth }, (_, at) =>
    Array(at + 1)
      .fill("a")
      .join("."),
  );
  const document = (rules: Rule[]): PolicyDocument => ({ rules, default: "ask" });
  const asked: Call = {
    tool: "t",
    agent: "scout",
    server: "s",
    arguments: deep(depth),
    hints: [],
    executes: "runtime",
  };
  const same = Array.from({ length: 1000 }, (_, n): Rule => ({ tool: "t", when: { a: { is: n } }, decision: "allow" }));
  expect(evaluate(compile(document(same)), asked, NOW).decision).toBe("ask");
  const each = paths.map((path): Rule => ({ tool: "t", when: { [path]: { is: 1 } }, decision: "allow" }));
  expect(() => evaluate(compile(document(each)), asked, NOW)).toThrow("take too long");
});
