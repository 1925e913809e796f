import { defineConfig } from "vitest/config";

/** Apart from the tests of the project: these need clients of 800 MB. `npm run test:clients` runs them. */
export default defineConfig({
  test: {
    root: import.meta.dirname,
    include: ["*.test.ts"],
    // Limits are there to end what hangs: each wait within has one of its own, with what was seen instead.
    testTimeout: 600_000,
    hookTimeout: 120_000,
    maxWorkers: 3,
    allowOnly: false,
  },
});
