import { expect, test, vi } from "vitest";
import { errorBody } from "./errors.ts";
import { createLog } from "./log.ts";

type Log = ReturnType<typeof createLog>;

function texts(work: (log: Log) => void, level: Parameters<typeof createLog>[0], pretty: boolean): string[] {
  const lines: string[] = [];
  work(createLog(level, { write: (line) => void lines.push(line), pretty }));
  return lines;
}

function written(work: (log: Log) => void, level: Parameters<typeof createLog>[0] = "debug") {
  const lines = texts(work, level, false);
  return { text: lines.join(""), lines: lines.map((line) => JSON.parse(line)) };
}

const SECRET = `parley_${"aB3".repeat(14)}x`;

test("a line is JSON with its time, its level and a constant message; what varies is a field", () => {
  const { text, lines } = written((log) => log.info("the hub is ready", { url: "http://127.0.0.1:8765" }));
  expect(text.endsWith("\n")).toBe(true);
  expect(lines).toEqual([
    {
      ts: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      level: "info",
      msg: "the hub is ready",
      url: "http://127.0.0.1:8765",
    },
  ]);
});

test("what is below the level is not written, and silent writes nothing", () => {
  const all = (log: Log): void => {
    for (const level of ["debug", "info", "warn", "error"] as const) log[level](level);
  };
  const levels = (least: Parameters<typeof createLog>[0]) => written(all, least).lines.map(({ level }) => level);
  expect(levels("debug")).toEqual(["debug", "info", "warn", "error"]);
  expect(levels("warn")).toEqual(["warn", "error"]);
  expect(levels("silent")).toEqual([]);
});

test("an error is written with its message, its stack, its code, its causes, and the id that its caller is told", () => {
  const cause = Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR" });
  const error = new TypeError("no", { cause });
  const { lines } = written((log) => log.error("a tool failed", { error }));
  expect(errorBody(error).error).toBe(`Internal error. The hub's log has it as ${lines[0].error.id}.`);
  expect(lines[0].error).toMatchObject({
    name: "TypeError",
    message: "no",
    stack: expect.stringContaining("log.test.ts"),
    cause: { message: "disk I/O error", code: "ERR_SQLITE_ERROR" },
  });
});

test("secrets are not written, wherever they come from", () => {
  const { text, lines } = written((log) =>
    log.warn("something", {
      error: new Error(`bad header Authorization: Bearer ${SECRET}`),
      note: `token ${SECRET} and Bearer abc.def-ghi`,
      url: "postgres://ana:hunter2@db.example/parley",
      hook: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
      authorization: "Basic YW5hOmh1bnRlcjI=",
      cookie: "parley=1",
      deep: [{ password: "hunter2", access_token: "abc", Token: "t" }],
    }),
  );
  for (const secret of [
    SECRET,
    SECRET.slice(7),
    "abc.def-ghi",
    "hunter2",
    "MfKQ9r8G",
    "YW5h",
    "parley=1",
    '"abc"',
    '"t"',
  ])
    expect([secret, text.includes(secret)]).toEqual([secret, false]);
  expect(lines[0].url).toBe("postgres://ana:[redacted]@db.example/parley");
  expect(lines[0].note).toBe("token parley_[redacted] and Bearer [redacted]");
});

test("what cannot be written as JSON costs its fields, not the line", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  const error = new Error("round and round");
  error.cause = error;
  for (const fields of [{ circle }, { error }, { big: 1n }])
    expect(written((log) => log.error("odd", fields)).lines).toMatchObject([
      { level: "error", msg: "odd", unwritable: expect.stringContaining("Error") },
    ]);
});

test("text cannot forge a second line", () => {
  const { text } = written((log) => log.info("x", { name: '"}\n{"level":"error"' }));
  expect(text.trimEnd().split("\n")).toHaveLength(1);
});

test("on a terminal a line is for people, and nothing in it reaches the terminal unescaped", () => {
  const [line] = texts(
    (log) => log.warn("a stream could not read on", { reader: "\u001b[31mred\n", note: `Bearer ${SECRET}` }),
    "info",
    true,
  );
  expect(line).toMatch(
    /^\d\d:\d\d:\d\d warn {2}a stream could not read on reader="\\u001b\[31mred\\n" note="Bearer \[redacted\]"\n$/,
  );
});

test("at a terminal the time is that of the clock on the wall", () => {
  vi.stubEnv("TZ", "Asia/Kolkata");
  vi.useFakeTimers({ now: Date.parse("2026-11-16T21:15:06Z") });
  try {
    expect(texts((log) => log.info("hello"), "info", true)).toEqual(["02:45:06 info  hello\n"]);
  } finally {
    vi.useRealTimers();
    vi.unstubAllEnvs();
  }
});
