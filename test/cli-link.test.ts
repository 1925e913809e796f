/** `parley link`: the one step after which `parley` alone is this program. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground, PARLEY } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground();
});
afterEach(() => ground[Symbol.asyncDispose]());

test("parley is found by its name afterwards, and then what is to be typed has no path", async () => {
  const folder = join(ground.folder, ".local", "bin");
  const PATH = `${folder}:/usr/bin:/bin`;
  const before = await ground.json<{ checks: { name: string; state: string }[] }>(["doctor"], { env: { PATH } });
  expect(before.checks.find(({ name }) => name === "PATH")).toMatchObject({ state: "warn" });

  for (const _twice of [1, 2])
    expect(await ground.json(["link"], { env: { PATH } })).toEqual({
      path: join(folder, "parley"),
      target: PARLEY,
      on_path: true,
    });
  const said = execFileSync("/bin/sh", ["-c", "parley status --format text || true"], {
    env: ground.env({ PATH }),
    encoding: "utf8",
  });
  expect(said).toContain(`Next: parley serve --home ${ground.home}`);
  const { checks } = await ground.json<typeof before>(["doctor"], { env: { PATH } });
  expect(checks.find(({ name }) => name === "PATH")).toMatchObject({ state: "pass" });
});

test("where the PATH does not lead to the link, doctor says what is left to do", async () => {
  const PATH = "/usr/bin:/bin";
  const { path } = await ground.json<{ path: string }>(["link"], { env: { PATH } });
  const { checks } = await ground.json<{ checks: { name: string }[] }>(["doctor"], { env: { PATH } });
  expect(checks.find(({ name }) => name === "PATH")).toMatchObject({
    state: "warn",
    message: `parley is not on your PATH. There is a link, ${path}.`,
    advice: expect.stringContaining(`export PATH=${join(ground.folder, ".local", "bin")}:"$PATH"`),
  });
});

test("another program of that name is left alone", async () => {
  const folder = join(ground.folder, "bin");
  mkdirSync(folder);
  writeFileSync(join(folder, "parley"), "mine");
  const { code, stderr } = await ground.parley(["link", "--dir", folder]);
  expect([code, JSON.parse(stderr).error.code]).toEqual([5, "CONFLICT"]);
  expect(readFileSync(join(folder, "parley"), "utf8")).toBe("mine");
});

test("completion works as it is printed, with parley on no PATH", async () => {
  const { stdout } = await ground.parley(["completion", "bash"]);
  const typed = "COMP_WORDS=(parley stat); COMP_CWORD=1; _parley; echo $COMPREPLY";
  const offered = execFileSync("bash", ["-c", `${stdout}\n${typed}`], { env: ground.env(), encoding: "utf8" });
  expect(offered).toMatch(/^status/);
});
