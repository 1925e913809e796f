import { fileURLToPath } from "node:url";
import adapterStatic from "@sveltejs/adapter-static";
import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig, type Plugin, type Rolldown } from "vite";

/** The pages of the first view and what starts them. Other sections come when somebody goes there, or a moment later. */
const FIRST = /\/src\/routes\/(?:\+|chat\/)|\/kit\/src\/runtime\/client\/client-entry\.js$/;
const FIRST_FILE = "first";
const client = fileURLToPath(new URL("../src/client", import.meta.url));
const visible = fileURLToPath(new URL("../src/visible.ts", import.meta.url));
const readable = fileURLToPath(new URL("../src/readable-json.ts", import.meta.url));
const cost = fileURLToPath(new URL("../src/cost.ts", import.meta.url));

/** While developing, a hub elsewhere: its address, and a token that stands in for the cookie. */
const { PARLEY_URL = "http://127.0.0.1:8765", PARLEY_TOKEN } = process.env;
const toHub = {
  target: PARLEY_URL,
  changeOrigin: true,
  headers: { origin: PARLEY_URL, ...(PARLEY_TOKEN && { authorization: `Bearer ${PARLEY_TOKEN}` }) },
};

// noDefaultExport is off here: Vite reads its configuration from the default export.
export default defineConfig({
  plugins: [
    compiledAsItComes(),
    sveltekit({
      adapter: adapterStatic({ pages: "build", fallback: "index.html", precompress: true }),
      compilerOptions: { runes: true },
      // The same sources make the same files.
      version: { name: "parley", pollInterval: 0 },
    }),
  ],
  resolve: { alias: { $client: client, $visible: visible, $readable: readable, $cost: cost } },
  build: {
    target: "es2022",
    // Browsers that know light-dark(): what is written in its place for others does not follow the switch.
    cssTarget: ["chrome123", "firefox120", "safari17.5"],
  },
  environments: {
    client: { build: { rolldownOptions: { output: { codeSplitting: { groups: [startUp(), firstView()] } } } } },
  },
  server: {
    fs: { allow: [client, visible, readable, "src"] },
    // Everything that is made with another library: found before a page is open, it need not be loaded again.
    warmup: { clientFiles: ["./src/lib/ui/parts/Parts.svelte", "./src/routes/**/*.svelte"] },
    proxy: { "/mcp": toHub, "/api": toHub, "/login": toHub, "/logout": toHub, "/readyz": toHub },
  },
});

/** What SvelteKit runs before everything else, and what it tells the rest: a file of its own, or the rest would be first. */
function startUp(): Rolldown.CodeSplittingGroup {
  return {
    name: "start-up",
    test: /\/kit\/src\/runtime\/client\/payload\.js$|vite\/preload-helper/,
    priority: 1,
  };
}

/** One file: what is seen first is small, and a chain of imports costs more than the bytes. */
function firstView(): Rolldown.CodeSplittingGroup {
  const known = new Map<string, boolean>();
  const isFirst = (id: string, graph: Rolldown.ChunkingContext): boolean => {
    const found = known.get(id);
    if (found !== undefined) return found;
    // For those that import each other in a circle.
    known.set(id, FIRST.test(id));
    const importers = graph.getModuleInfo(id)?.importers ?? [];
    const first = FIRST.test(id) || importers.some((importer) => isFirst(importer, graph));
    known.set(id, first);
    return first;
  };
  return { debugName: FIRST_FILE, name: (id, graph) => (isFirst(id, graph) ? FIRST_FILE : null) };
}

/** Chromium then compiles that file while it comes in, beside the page, and not function by function as they are called. */
function compiledAsItComes(): Plugin {
  return {
    name: "parley-first",
    applyToEnvironment: ({ name }) => name === "client",
    generateBundle: {
      // After Vite's own: it has to be the first line.
      order: "post",
      handler: (_, files) => {
        for (const file of Object.values(files))
          if (file.type === "chunk" && file.name === FIRST_FILE)
            file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
      },
    },
  };
}
