import { expect, test } from "vitest";
import { maskOf, secretsIn } from "./secrets.ts";

const KEY = "sk-very-secret-indeed";

test("what is a secret by its name or its look is taken out, in JSON too, and what is everywhere stays", () => {
  const mask = maskOf(
    secretsIn({
      ...{ OPENAI_API_KEY: KEY, LOOKED: "ghp_0123456789abcdef", Authorization: "Bearer abcdefgh-1" },
      ...{ OPENAPIKEY: "of-no-known-look", MYTOKEN: "neither-this-one", DBPASSWORD: "nor-that-one-there" },
      ...{ DATABASE_URL: "postgres://ana:p%40ssw0rd-long@db/x", QUOTED_TOKEN: 'with "quotes" in' },
      ...{
        TOKENIZER: "a-tokenizer-it-is",
        HOME: "/home/ana/project",
        MODEL: "claude-opus-4-5",
        MONKEY: "a-monkey-it-is",
        SHORT_KEY: "short",
      },
    }),
  );
  expect(mask(`${KEY} ghp_0123456789abcdef abcdefgh-1`)).toBe("[secret] [secret] [secret]");
  expect(mask("of-no-known-look neither-this-one nor-that-one-there")).toBe("[secret] [secret] [secret]");
  expect(mask("psql: p@ssw0rd-long or p%40ssw0rd-long")).toBe("psql: [secret] or [secret]");
  expect(mask(JSON.stringify({ said: 'with "quotes" in' }))).toBe('{"said":"[secret]"}');
  const plain = "/home/ana/project claude-opus-4-5 a-monkey-it-is a-tokenizer-it-is short";
  expect(mask(plain)).toBe(plain);
});

test("the password of an address is taken out by itself, whatever the name of the variable and whatever is in it", () => {
  const named = {
    DATABASE_DSN: "postgres://ana:hunter2-hunter2@db/x",
    REDIS_URL: "redis://:with@sign-in-it@cache:6379",
  };
  const mask = maskOf(secretsIn(named));
  expect(mask("for ana: hunter2-hunter2, with@sign-in-it")).toBe("for ana: [secret], [secret]");
});

test("the hub's own tokens are taken out whoever was given them, and names of its tools are none", () => {
  const mask = maskOf([]);
  expect(mask(`token parley_${"aB3_-".repeat(9).slice(0, 43)}.`)).toBe("token parley_[secret].");
  const tool = "mcp__parley__chat_assistant_post_of_a_name_that_is_as_long_as_a_token";
  expect(mask(tool)).toBe(tool);
});
