import { describe, expect, test } from "vitest";
import { nearest } from "../suggest.ts";
import { ENTRIES } from "./commands.ts";
import { COMMON, flagOf } from "./core/command.ts";
import { parse, read } from "./core/parse.ts";
import { findCommand } from "./help/find.ts";
import { explain, overview } from "./help/help.ts";

describe.each(ENTRIES.map((entry) => [entry.name, entry] as const))("parley %s", (name, entry) => {
  test("has examples that its own parser accepts", async () => {
    const command = await entry.load();
    expect(command.examples.length).toBeGreaterThan(0);
    for (const example of command.examples) {
      if (example.startsWith("-")) continue;
      expect(example.startsWith(name)).toBe(true);
      expect(() => parse(command, words(example.slice(name.length)), {})).not.toThrow();
    }
  });

  test("has a help that fits on a terminal and begins with the examples", async () => {
    const text = explain(entry, await entry.load(), (text) => text);
    expect(text).toMatch(/^Examples\n {2}parley /);
    expect(text.split("\n").filter((line) => line.length > 120)).toEqual([]);
  });

  test("explains each option and word, and gives none of them a name that every command uses", async () => {
    const { options, positionals } = await entry.load();
    for (const part of [...Object.values(options), ...Object.values(positionals)])
      expect(part.description).toMatch(/^[a-z0-9`].*[^.]$/i);
    for (const key of [...Object.keys(options), ...Object.keys(positionals)]) expect(key in COMMON).toBe(false);
  });
});

test("without a command there is what it is, three examples and the common commands", () => {
  const text = overview((text) => text);
  expect(text).toMatch(/^Parley: .*\n\nExamples\n( {2}parley .*\n){3}\nCommon commands\n/);
  for (const { name } of ENTRIES) expect(text).toContain(name.split(" ").at(-1));
  expect(text.split("\n").filter((line) => line.length > 100)).toEqual([]);
});

test("a mistyped command is answered with the one that was meant", () => {
  expect(() => findCommand(["stauts"])).toThrow("Did you mean status?");
  expect(() => findCommand(["run"])).toThrow("Did you mean serve, or runs list?");
  expect(() => findCommand(["tokens"])).toThrow("Did you mean token list?");
  expect(() => findCommand(["chat", "sned"])).toThrow("Did you mean chat send?");
  expect(() => findCommand(["completely-different"])).toThrow(/^(?!.*Did you mean)/);
});

test("a name that is far from all is near to none", () => {
  expect(nearest("x", ["serve", "stop"])).toBeUndefined();
  expect(nearest("sevre", ["serve", "stop"])).toBe("serve");
  expect(nearest("STOP", ["serve", "stop"])).toBe("stop");
});

test("flags are spelled with dashes, fields with underscores", () => {
  expect(flagOf("database_url")).toBe("--database-url");
  expect(read({ dry_run: { type: "flag", description: "x" } }, ["--dry-run"]).values).toEqual({ dry_run: true });
});

/** As a shell would split it, without redirections. */
function words(line: string): string[] {
  const found = line.replace(/ < .*/, "").matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g);
  return [...found].map(([, single, double, bare]) => single ?? double ?? bare ?? "");
}
