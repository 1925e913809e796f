import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { testDatabases } from "./src/testing/databases.ts";

if (Number.parseInt(process.versions.node, 10) < 24)
  throw new Error(`The tests run on Node 24 or later, this is ${process.version}: use npx vitest, or npm test.`);

/** Tests of PostgreSQL itself would have nothing to run on. */
const exclude = testDatabases().includes("postgres") ? [] : ["**/*.postgres.test.ts"];
const cores = availableParallelism();

export default defineConfig({
  test: {
    globalSetup: "src/testing/postgres-setup.ts",
    exclude: [...configDefaults.exclude, ...exclude],
    // The machine may be busy: a limit is there to end what hangs, not to measure.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    projects: [
      { extends: true, test: { name: "unit", include: ["src/**/*.test.ts"], maxWorkers: cores } },
      "web/vitest.config.ts",
      {
        extends: true,
        test: {
          name: "e2e",
          include: ["test/**/*.test.ts"],
          // Each of them starts programs of its own, and waits for them more than it works.
          maxWorkers: Math.min(4, cores),
          testTimeout: 180_000,
          hookTimeout: 180_000,
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
