import { expect, test } from "vitest";
import { hubEnv } from "./hub-env.ts";

test("a hub that a command starts has its settings, and nothing of who or what began the command", () => {
  const settings = { PATH: "/bin", PARLEY_LOG: "debug", PARLEY_TASK_DAYS: "9", PARLEY_DATABASE_URL: "postgres://x/y" };
  const others = {
    ANTHROPIC_API_KEY: "k",
    CLAUDECODE: "1",
    PARLEY_TOKEN: "t",
    PARLEY_URL: "u",
    PARLEY_SPACE: "s",
    PARLEY_CAUSE: "1",
    PARLEY_AGENT_NAME: "scout",
    PARLEY_RUN: "cookie",
    PARLEY_WORKER: "w",
    PARLEY_TRIGGER: "t",
    PARLEY_TRIGGER_SESSION_KEY: "k",
    PARLEY_TASK_ID: "1",
    PARLEY_TASK_ATTEMPT: "1",
    PARLEY_TASK_CHANNEL: "c",
    PARLEY_TASK_SENDER: "s",
    PARLEY_NEW_SESSION_ID: "n",
    PARLEY_RESUME_SESSION_ID: "r",
  };
  expect(hubEnv({ ...settings, ...others }, false)).toEqual(settings);
  expect(hubEnv({ PARLEY_PORT: "1", PARLEY_HOST: "h" }, true)).toEqual({});
});
