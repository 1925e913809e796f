import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";

/** What the page's logic promises, without a page: state is compiled as in the browser. */
// noDefaultExport is off here: Vitest reads its configuration from the default export.
export default {
  plugins: [svelte({ configFile: false })],
  resolve: {
    alias: {
      $client: fileURLToPath(new URL("../src/client", import.meta.url)),
      $visible: fileURLToPath(new URL("../src/visible.ts", import.meta.url)),
      $readable: fileURLToPath(new URL("../src/readable-json.ts", import.meta.url)),
      $cost: fileURLToPath(new URL("../src/cost.ts", import.meta.url)),
    },
    conditions: ["browser"],
  },
  test: {
    name: "web",
    include: ["src/**/*.test.ts"],
    // It measures, and has a process of its own among the tests of the hub.
    exclude: ["src/lib/markdown/time.test.ts"],
    isolate: false,
    environment: fileURLToPath(new URL("src/testing/page.ts", import.meta.url)),
    server: { deps: { inline: ["svelte"] } },
    testTimeout: 300_000,
    // After the others: they share the machine by another number of workers.
    sequence: { groupOrder: 2 },
  },
};
