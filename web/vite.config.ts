import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import adapterStatic from "@sveltejs/adapter-static";
import type { Adapter } from "@sveltejs/kit";
import { sveltekit } from "@sveltejs/kit/vite";
import { defineConfig, type Plugin } from "vite";

const BUILD = "build";
const FIRST = '<script src="/first.js"></script>';
/** Pages that are there at once; others come when somebody goes there, or a moment after the first view is drawn. */
const AT_ONCE = /src\/routes\/(\+|chat\/)/;
const client = fileURLToPath(new URL("../src/client", import.meta.url));

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
    withoutInlineStyle(),
    withSectionsApart(),
    sveltekit({
      adapter: withoutInlineScript(),
      // One file: what is seen first is small, and a chain of imports costs more than the bytes.
      output: { bundleStrategy: "single" },
      compilerOptions: { runes: true },
      // The same sources make the same files.
      version: { name: "parley", pollInterval: 0 },
    }),
  ],
  resolve: { alias: { $client: client } },
  // Browsers that know light-dark(): what is written in its place for others does not follow the switch.
  build: { target: "es2022", cssTarget: ["chrome123", "firefox120", "safari17.5"] },
  server: {
    fs: { allow: [client, "src"] },
    proxy: { "/mcp": toHub, "/api": toHub, "/login": toHub, "/logout": toHub, "/readyz": toHub },
  },
});

/**
 * The start-up code of the page becomes a file, since the hub's policy allows no script in the page. It goes into the
 * head: where SvelteKit puts it, the app would not begin before the styles are there and the page is read to its end.
 */
function withoutInlineScript(): Adapter {
  const base = adapterStatic({ pages: BUILD, fallback: "index.html" });
  return {
    ...base,
    adapt: async (builder) => {
      await base.adapt(builder);
      const path = join(BUILD, "index.html");
      let boot = "";
      const rest = readFileSync(path, "utf8").replace(/<script>([\s\S]*?)<\/script>/g, (_, code: string) => {
        boot += startingInTime(code);
        return "";
      });
      const name = `_app/immutable/boot.${createHash("sha256").update(boot).digest("hex").slice(0, 12)}.js`;
      writeFileSync(join(BUILD, name), boot);
      const html = rest.replace(FIRST, `${FIRST}<script src="/${name}"></script>`);
      if (html === rest) throw new Error(`app.html holds no ${FIRST}`);
      if (/<script(?![^>]*\ssrc=)|\sstyle=|<style/.test(html)) throw new Error("index.html holds code or style inline");
      writeFileSync(path, html);
      await builder.compress(BUILD);
    },
  };
}

/** SvelteKit starts the app in the element that its script is in, and ours is in none. */
function startingInTime(code: string): string {
  const parsed = 'new Promise((resolve) => addEventListener("DOMContentLoaded", resolve))';
  const later = code
    .replace("const element = document.currentScript.parentElement;", `const parsed = ${parsed};`)
    .replace("app.start(element)", 'parsed.then(() => app.start(document.querySelector("#app")))')
    .replaceAll(/^\s+/gm, "");
  if (/element\b(?!s)/.test(later.replace("documentElement", "")) || !later.includes("parsed.then"))
    throw new Error("SvelteKit starts the app in another way now");
  return later;
}

/**
 * That one file has the frame and the chat, which are seen first; the pages of other sections are files of their own.
 * What they share with it stays in it (`allow-extension`), so nobody waits for more than these two.
 */
function withSectionsApart(): Plugin {
  return {
    name: "parley-sections",
    enforce: "pre",
    applyToEnvironment: ({ name }) => name === "client",
    options: (options) => ({ ...options, preserveEntrySignatures: "allow-extension" }),
    outputOptions: (options) => ({ ...options, codeSplitting: true }),
    generateBundle: {
      // After Vite's own: it has to be the first line.
      order: "post",
      handler: (_, files) => {
        // Chromium then compiles it while it comes in, beside the page, and not function by function as they are called.
        for (const file of Object.values(files))
          if (file.type === "chunk" && file.isEntry) file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
      },
    },
    transform(code, id) {
      if (!id.endsWith("/client-optimized/app.js")) return;
      const imports: string[] = [];
      const pages = code.replaceAll(
        /\(\) => import\('(\.\/nodes\/(\d+))'\)/g,
        (apart, path: string, number: string) => {
          if (!AT_ONCE.test(readFileSync(join(dirname(id), `${path}.js`), "utf8"))) return apart;
          imports.push(`import * as page_${number} from '${path}';\n`);
          return `() => Promise.resolve(page_${number})`;
        },
      );
      if (imports.length === 0) throw new Error("SvelteKit lists its pages in another way now");
      return { code: imports.join("") + pages, map: null };
    },
  };
}

/** SvelteKit hides its announcer by a style attribute, which the policy does not allow either. */
function withoutInlineStyle(): Plugin {
  return {
    name: "parley-announcer",
    enforce: "pre",
    transform(code, id) {
      if (!/kit\/src\/runtime\/components\/root\.svelte$/.test(id)) return;
      const clean = code.replace(/style="position: absolute;[^"]*"/, 'class="unseen"');
      if (clean === code) throw new Error("SvelteKit's root component has changed: look at its announcer");
      return { code: clean, map: null };
    },
  };
}
