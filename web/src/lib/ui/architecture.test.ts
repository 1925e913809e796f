import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const sources = join(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(join(sources, path), "utf8");
const filesOf = (...patterns: string[]): string[] =>
  patterns.flatMap((pattern) => globSync(pattern, { cwd: sources })).filter((path) => !path.endsWith(".test.ts"));

test("nothing has a control but those of lib/ui", () => {
  const files = filesOf("{lib,routes}/**/*.svelte").filter((path) => !path.startsWith(join("lib", "ui")));
  expect(files).toContain(join("lib", "mail", "Compose.svelte"));
  const control = /<(?:button|dialog|input|select|textarea)\b/;
  expect(files.filter((path) => control.test(read(path)))).toEqual([]);
});

test("only lib/ui knows which library its parts are made with", () => {
  const files = filesOf("lib/**/*.{ts,svelte}", "routes/**/*.{ts,svelte}");
  const made = files.filter((path) => /from "bits-ui"/.test(read(path)));
  expect(made.length).toBeGreaterThan(0);
  expect(made.filter((path) => !path.startsWith(join("lib", "ui")))).toEqual([]);
});

test("icons are imported one by one", () => {
  const files = filesOf("lib/**/*.{ts,svelte}", "routes/**/*.{ts,svelte}");
  expect(files.filter((path) => /from "@lucide\/svelte"/.test(read(path)))).toEqual([]);
});

test("the frame names no section, and each that there is stands in the list", () => {
  const files = globSync("lib/*/section{,.svelte}.ts", { cwd: sources });
  const sections = files.map((path) => path.split(/[\\/]/)[1]);
  expect(sections).toContain("mail");
  const listed = read("lib/sections.ts");
  expect(sections.filter((name) => !listed.includes(`"#lib/${name}/section`))).toEqual([]);
  const named = new RegExp(`(?:#lib|["\`])/(?:${sections.join("|")})\\b`);
  const frame = ["routes/+layout.svelte", ...filesOf("lib/frame/*")].map(read).join("\n");
  expect(frame).not.toMatch(named);
  // Nor what a section calls the parts of its addresses.
  const names = filesOf("routes/**/+page.svelte").flatMap((path) => [...path.matchAll(/\[+(\w+)\]/g)]);
  expect(names.map(([, name]) => name)).toContain("agent");
  expect(names.filter(([, name]) => frame.includes(`params.${name}`))).toEqual([]);
  expect(frame).not.toMatch(/page\.params/);
});
