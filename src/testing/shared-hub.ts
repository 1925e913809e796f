import { afterAll, beforeAll, describe } from "vitest";
import { type DatabaseName, testDatabases } from "./databases.ts";
import { type HubOptions, TestHub } from "./hub.ts";

/**
 * One hub for all the tests in it, on each database: for many small cases of which none minds what
 * the others left behind. A test that does opens a hub of its own with `eachDatabase`.
 */
export function onSharedHub(
  tests: (shared: { readonly hub: TestHub }, database: DatabaseName) => void,
  options: HubOptions = {},
): void {
  for (const name of testDatabases())
    describe(name, () => {
      const cleanups: (() => Promise<unknown>)[] = [];
      let hub: TestHub | undefined;
      beforeAll(async () => {
        hub = await TestHub.open(name, options, (cleanup) => void cleanups.push(cleanup));
      });
      afterAll(async () => {
        for (const cleanup of cleanups.reverse()) await cleanup();
      });
      const shared = {
        get hub() {
          if (!hub) throw new Error("the hub is there once the tests run");
          return hub;
        },
      };
      tests(shared, name);
    });
}
