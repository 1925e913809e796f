import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import SlowFirst from "./scripts/slow-first.ts";
import { COMPILED } from "./src/testing/compiled.ts";
import { testDatabases } from "./src/testing/databases.ts";

if (Number.parseInt(process.versions.node, 10) < 24)
  throw new Error(`The tests run on Node 24 or later, this is ${process.version}: use npx vitest, or npm test.`);

/** Tests of PostgreSQL itself would have nothing to run on. */
const exclude = testDatabases().includes("postgres") ? [] : ["**/*.postgres.test.ts"];
const cores = availableParallelism();
// A worker loads the hub once for all its files (`isolate: false`): loading it for each took as long as half of the tests.

/**
 * Node runs our sources as they are. Through Vite's module runner the same tests take a third more of a processor:
 * every file is rewritten first, and every use of an import goes through an object afterwards.
 */
const native = { viteModuleRunner: false, nodeLoader: false };

// Workers inherit it, and load what others have compiled: to take the types out of 600 files takes half of the loading.
process.env.NODE_COMPILE_CACHE ??= COMPILED.NODE_COMPILE_CACHE;

/** Tests about all that their process has loaded or opened, or about how fast code is that nothing else has used before. */
const OWN_PROCESS = [
  "src/db/{plans,read-cache}.test.ts",
  "src/http/connections.test.ts",
  "src/testing/sample-module/*.test.ts",
  "web/src/lib/markdown/time.test.ts",
];
/** Tests that others wrote, with short times, when all else is done. */
const ALONE = ["test/conformance.test.ts"];

export default defineConfig({
  test: {
    globalSetup: ["src/testing/postgres-setup.ts", "src/testing/sqlite-setup.ts"],
    exclude: [...configDefaults.exclude, ...exclude],
    // The machine may be busy: a limit is there to end what hangs, not to measure.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 90_000 } },
    sequence: { sequencer: SlowFirst },
    projects: [
      // They wait for disks, PostgreSQL and time as long as they work.
      {
        extends: true,
        test: {
          name: "unit",
          include: ["src/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...exclude, ...OWN_PROCESS],
          maxWorkers: cores * 2,
          isolate: false,
          experimental: native,
        },
      },
      // As many workers as the project above, beside which they then run.
      {
        extends: true,
        test: { name: "own-process", include: OWN_PROCESS, maxWorkers: cores * 2, experimental: native },
      },
      "web/vitest.config.ts",
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/**/*.test.ts"],
          exclude: [...configDefaults.exclude, ...exclude, ...ALONE],
          // Each of them starts programs of its own, and waits for them more than it works.
          maxWorkers: Math.min(8, cores * 3),
          isolate: false,
          experimental: native,
          sequence: { groupOrder: 1 },
        },
      },
      {
        extends: true,
        test: { name: "conformance", include: ALONE, maxWorkers: 1, experimental: native, sequence: { groupOrder: 2 } },
      },
    ],
  },
});
