import { describe, expect, test } from "vitest";
import { defineCommand } from "./command.ts";
import { exitCodeOf, sentenceOf } from "./exit-code.ts";
import { Failure } from "./failure.ts";
import { parse } from "./parse.ts";

const command = defineCommand({
  examples: [],
  positionals: {
    first: { required: true, description: "the first word" },
    others: { rest: true, description: "the rest" },
  },
  options: {
    name: { type: "text", value: "NAME", description: "a name" },
    role: { type: "text", choices: ["human", "agent"], env: "ROLE", description: "a role" },
    limit: { type: "integer", minimum: 1, maximum: 500, default: 50, description: "how many" },
    arg: { type: "list", description: "one more" },
    dry_run: { type: "flag", description: "do nothing" },
  },
  run: async () => {},
});

const given = (argv: string[], env = {}) => parse(command, argv, env).given;
const complaint = (argv: string[], env = {}): string => {
  try {
    parse(command, argv, env);
  } catch (error) {
    if (error instanceof Failure && exitCodeOf(error) === 2) return sentenceOf(error);
    throw error;
  }
  throw new Error("it was accepted");
};

describe("options", () => {
  test("stand before, between and after the words, with a space or an equals sign", () => {
    expect(given(["--name", "ana", "one", "--limit=3", "two", "--dry-run"])).toMatchObject({
      name: "ana",
      limit: 3,
      dry_run: true,
      first: "one",
      others: ["two"],
    });
  });

  test("that are not given are undefined, false, empty or their default", () => {
    expect(given(["one"])).toEqual({
      name: undefined,
      role: undefined,
      limit: 50,
      arg: [],
      dry_run: false,
      first: "one",
      others: [],
    });
  });

  test("come from the environment when they were not typed, and an empty variable counts as none", () => {
    expect(given(["one"], { ROLE: "agent" }).role).toBe("agent");
    expect(given(["one", "--role", "human"], { ROLE: "agent" }).role).toBe("human");
    expect(given(["one"], { ROLE: "" }).role).toBeUndefined();
    expect(complaint(["one"], { ROLE: "king" })).toContain("ROLE takes human, agent");
  });

  test("of kind list may be repeated, and keep everything after the first equals sign", () => {
    expect(given(["one", "--arg", "a=1", "--arg=b=2=3"]).arg).toEqual(["a=1", "b=2=3"]);
  });

  test("take a value that begins with a dash", () => {
    expect(given(["one", "--name", "-x"]).name).toBe("-x");
  });

  test("whose name is wrong are refused with the name that was meant", () => {
    expect(complaint(["one", "--dryrun"])).toMatch(/^There is no option --dryrun\. .* Did you mean --dry-run\?$/);
    expect(complaint(["one", "-z"])).toContain("There is no option -z.");
  });

  test("given twice, without a value or with one they do not take are refused", () => {
    expect(complaint(["one", "--name", "a", "--name", "b"])).toBe("--name was given twice.");
    expect(complaint(["one", "--name"])).toBe("--name needs a value.");
    expect(complaint(["one", "--dry-run=yes"])).toBe("--dry-run takes no value.");
  });

  test.each(["0", "501", "1.5", "x", "", "1e2", "0x10", "99999999999999999999"])(
    "refuse %j where a number from 1 to 500 belongs",
    (text) => {
      expect(complaint(["one", "--limit", text])).toBe(
        `--limit takes a whole number from 1 to 500, not ${JSON.stringify(text)}.`,
      );
    },
  );
});

describe("words", () => {
  test("after -- are words, whatever they look like", () => {
    expect(given(["--", "--name", "-"])).toMatchObject({ first: "--name", others: ["-"], name: undefined });
  });

  test("may be a single dash", () => {
    expect(given(["-"]).first).toBe("-");
  });

  test("that are missing are named", () => {
    expect(complaint([])).toBe("FIRST is missing: the first word.");
  });

  test("that nobody asked for are refused", () => {
    const none = defineCommand({ examples: [], run: async () => {} });
    expect(() => parse(none, ["stray"], {})).toThrow('"stray" is one word too many.');
  });
});

test("what was typed is told apart from what the environment said", () => {
  const { typed, common } = parse(command, ["one", "--home", "x"], { PARLEY_URL: "http://127.0.0.1:1" });
  expect([...typed]).toEqual(["home"]);
  expect(common).toMatchObject({ home: "x", url: "http://127.0.0.1:1", json: false });
});
