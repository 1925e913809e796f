import fc from "fast-check";
import { expect, test } from "vitest";
import { canonicalArguments } from "./index.ts";

const isUnsafe = (n: number): boolean => Number.isInteger(n) && !Number.isSafeInteger(n);

test("every number that a program writes as it has it is taken, and is the same: shortest, in full, or as a fraction of ten", () => {
  const double = fc.double({ noNaN: true, noDefaultInfinity: true }).filter((n) => !isUnsafe(n));
  const ways = [JSON.stringify, (n: number) => n.toPrecision(17), (n: number) => n.toExponential()];
  const way = fc.constantFrom(...ways);
  fc.assert(
    fc.property(double, way, (n, write) => {
      const { value, text } = canonicalArguments(`{"n": ${write(n)}}`);
      expect(value).toEqual({ n: n === 0 ? 0 : n });
      expect(text).toBe(`{"n":${JSON.stringify(n)}}`);
    }),
  );
});

test("whatever digits are written, what is taken has exactly these", () => {
  const digits = fc.array(fc.integer({ min: 0, max: 9 }), { minLength: 1, maxLength: 20 }).map((all) => all.join(""));
  const written = fc.tuple(digits, fc.integer({ min: -340, max: 320 })).map(([all, e]) => `0.${all}e${e}`);
  fc.assert(
    fc.property(written, (number) => {
      let taken: unknown;
      try {
        taken = canonicalArguments(`{"n": ${number}}`).value;
      } catch (error) {
        expect(error).toMatchObject({ code: "INVALID_ARGUMENT" });
        return;
      }
      const { n } = taken as { n: number };
      const meant = number.replace(/e.*/, "").replace(/\D/g, "").replace(/^0+/, "");
      const kept =
        meant === ""
          ? ""
          : n
              .toExponential(meant.length - 1)
              .replace(/e.*/, "")
              .replace(/\D/g, "");
      expect(kept).toBe(meant);
    }),
  );
});
