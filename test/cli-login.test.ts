/** The link by which a person gets from the terminal into the browser. */
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Ground, PARLEY, until } from "../src/testing/process.ts";

let ground: Ground;
beforeEach(() => {
  ground = new Ground({ in_process: true });
});
afterEach(() => ground[Symbol.asyncDispose]());

/** Does with a link what the page does. */
async function follow(link: string): Promise<{ status: number; principal?: string; cookie: string }> {
  const { origin, hash } = new URL(link);
  const headers = { origin, "content-type": "application/json" };
  const body = JSON.stringify({ code: hash.replace("#code=", "") });
  const response = await fetch(`${origin}/login`, { method: "POST", headers, body });
  const cookie = response.headers.get("set-cookie")?.split(";")[0] ?? "";
  return { status: response.status, cookie, ...((await response.json()) as { principal?: string }) };
}

test("serve prints a link that signs one browser in, on a terminal and nowhere else", async () => {
  const log = ground.start(["serve", "--home", join(ground.folder, "logged")]);
  let logged = "";
  log.stdout.setEncoding("utf8").on("data", (text: string) => {
    logged += text;
  });
  await until(() => /sign in .* login --home/.test(logged));
  expect(logged).not.toContain("#code=");

  const command = ["-qfec", `${PARLEY} serve`, "/dev/null"];
  const child = ground.watch(
    spawn("script", command, { env: ground.env({ NO_COLOR: "1" }), stdio: ["pipe", "pipe", "pipe"] }),
  );
  let printed = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    printed += text;
  });
  const [link = ""] = await until(() => /http:\/\/127\.0\.0\.1:\d+\/#code=\w+(?=\s)/.exec(printed) ?? undefined);
  expect(await follow(link)).toMatchObject({
    status: 200,
    principal: "admin",
    cookie: expect.stringMatching(/^parley_/),
  });
  expect((await follow(link)).status).toBe(401);
});

test("parley login makes another, for oneself or for a person by name", async () => {
  const hub = await ground.host();
  const own = await ground.json<{ url: string; principal: string; expires_at: string }>(["login"]);
  expect(own).toEqual({
    url: expect.stringMatching(new RegExp(`^${hub.url}/#code=parley_[A-Za-z0-9]{43}$`)),
    principal: "admin",
    expires_at: expect.stringMatching(/Z$/),
  });
  expect(await follow(own.url)).toMatchObject({ status: 200, principal: "admin" });
  const { url } = await ground.json<{ url: string }>(["login", "--name", "ana"]);
  const { cookie } = await follow(url);
  const headers = { origin: hub.url, "content-type": "application/json", cookie };
  const whoami = await fetch(`${hub.url}/api/tools/whoami`, { method: "POST", headers, body: "{}" });
  expect(await whoami.json()).toMatchObject({ principal: "ana", roles: ["human"] });
  const text = await ground.parley(["login", "--format", "text"]);
  expect(text.stdout).toMatch(/^Open http.*#code=/);
});

test("a hub that a command started writes no link to its log", async () => {
  await ground.json(["login"]);
  expect(readFileSync(join(ground.home, "hub.log"), "utf8")).not.toContain("#code=");
  expect(readFileSync(join(ground.home, "hub.log"), "utf8")).toContain("Parley is ready");
});
