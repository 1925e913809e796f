import { homedir, hostname, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { readConfig, SETTINGS } from "./config.ts";
import { StartRefused } from "./errors.ts";

// Of whoever runs this, a data folder may be there that remembers something.
beforeAll(() => void vi.stubEnv("HOME", join(tmpdir(), "parley-nobody")));
afterAll(() => void vi.unstubAllEnvs());

test("without a word the hub is for this machine only, on its own port, in the home folder", () => {
  expect(readConfig({}, {})).toEqual({
    home: join(homedir(), ".parley"),
    host: "127.0.0.1",
    port: 8765,
    database_url: undefined,
    allowed_hosts: [],
    insecure: false,
    rate_limit: 500,
    rate_limit_kb: 1024,
    webhook_rate_limit: 50,
    request_seconds: 60,
    event_days: 30,
    chat_days: 0,
    mail_days: 0,
    audit_days: 90,
    audit_mb: 256,
    archive_dir: join(homedir(), ".parley", "archives"),
    archive_days: 30,
    log_level: "info",
    web: resolve("web/build"),
    launcher: resolve("bin/parley"),
    typed: { program: "parley", place: "" },
    task_days: 90,
    task_lease_seconds: 60,
    task_ageing_seconds: 60,
    node_lease_seconds: 20,
    pause_threshold: 3,
    space_subscriptions: 10,
    pause_phases: [],
    pause_phrase: "need human input to continue",
    question_defaults: [],
    question_days: 90,
    question_forms: true,
    machine: hostname(),
    model_keys: {},
    run_env: {},
    secret_key_file: join(tmpdir(), "parley-nobody", ".parley", "secret.key"),
    wake_dir: join(tmpdir(), "parley-nobody", ".parley", "wake"),
  });
});

test("flags come before the environment, and the environment before the defaults", () => {
  const env = { PARLEY_HOME: "/env", PARLEY_PORT: "1", PARLEY_HOST: "::1", PARLEY_DATABASE_URL: "postgres://env/x" };
  expect(readConfig({}, env)).toMatchObject({ home: "/env", port: 1, host: "::1", database_url: "postgres://env/x" });
  const flags = { home: "/flag", port: 2, host: "localhost", database_url: "postgres://flag/x" };
  expect(readConfig(flags, env)).toMatchObject(flags);
});

test("an empty variable is one that is not set", () => {
  const empty = Object.fromEntries(Object.values(SETTINGS).map(({ variable }) => [variable, ""]));
  expect(readConfig({}, empty)).toEqual(readConfig({}, {}));
});

test("the data folder may be relative or begin with ~", () => {
  expect(readConfig({ home: "data" }, {}).home).toBe(resolve("data"));
  expect(readConfig({}, { PARLEY_HOME: "~/hub" }).home).toBe(join(homedir(), "hub"));
  expect(readConfig({}, { PARLEY_HOME: "~" }).home).toBe(homedir());
  expect(readConfig({}, { PARLEY_HOME: "/srv/~ana" }).home).toBe("/srv/~ana");
});

test("further names are separated by commas, with or without spaces", () => {
  const env = { PARLEY_ALLOWED_HOSTS: " hub.example , other.example:8443,," };
  expect(readConfig({}, env).allowed_hosts).toEqual(["hub.example", "other.example:8443"]);
});

test("a number that is none, or out of its range, is refused with the variable's name", () => {
  const bad: [string, string][] = [
    ["PARLEY_PORT", "65536"],
    ["PARLEY_PORT", "-1"],
    ["PARLEY_PORT", "80.5"],
    ["PARLEY_PORT", "0x50"],
    ["PARLEY_PORT", "1e3"],
    ["PARLEY_PORT", " 80"],
    ["PARLEY_PORT", "http"],
    ["PARLEY_RATE_LIMIT", "0"],
    ["PARLEY_REQUEST_SECONDS", "0"],
    ["PARLEY_EVENT_DAYS", "0"],
    ["PARLEY_CHAT_DAYS", "9999999999999"],
  ];
  for (const [variable, value] of bad) {
    const refused = (): unknown => readConfig({}, { [variable]: value });
    expect(refused).toThrow(StartRefused);
    expect(refused).toThrow(new RegExp(`^${variable} is ${JSON.stringify(value)}, not a number from \\d+ to \\d+\\.$`));
  }
});

test("a log level that is none is refused with those there are", () => {
  expect(() => readConfig({}, { PARLEY_LOG: "loud" })).toThrow(
    'PARLEY_LOG is "loud", not debug, info, warn, error, silent.',
  );
});

test("only a plain 1 opens the hub to other machines", () => {
  for (const value of ["", "0", "true", "yes", "11"])
    expect(readConfig({}, { PARLEY_INSECURE: value }).insecure).toBe(false);
  expect(readConfig({}, { PARLEY_INSECURE: "1" }).insecure).toBe(true);
});
