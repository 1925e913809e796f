/** A person calls a tool of an agent's server over the bridge; the runtime or the hub is killed at it. It is run once, or not at all. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type Caller, callUntilKnown, type Reply } from "../src/testing/crowd.ts";
import { exited, until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";
import { writtenLines } from "../src/testing/written.ts";

const SCRIPT = { rules: [{ when: "", steps: [] }] };

/** As with curl; undefined where the connection ended without an answer. */
async function bridge({ url, token }: Caller, name: string): Promise<Reply | undefined> {
  const call = {
    agent: "scout",
    server: "runtime",
    tool: "exec",
    arguments: { cmd: ["sh", "-c", `echo x >> ${name}`] },
  };
  const headers = { authorization: `Bearer ${token}`, "idempotency-key": name };
  try {
    const response = await fetch(`${url()}/api/mcp/call`, { method: "POST", headers, body: JSON.stringify(call) });
    return { status: response.status, body: await response.json() };
  } catch {
    return undefined;
  }
}

/** The same call, with its key, until there is an answer that is one. */
async function bridged(caller: Caller, name: string): Promise<Reply> {
  for (;;) {
    const reply = await bridge(caller, name);
    if (reply && ![202, 503].includes(reply.status)) return reply;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function openGround(restarts: Restarts) {
  await restarts.start();
  const { ground } = restarts;
  const [ana, ben] = [await restarts.token("human", "ana"), await restarts.token("human", "ben")];
  const scout = await restarts.token("agent", "scout");
  const [script, folder] = [join(ground.folder, "script.json"), join(ground.folder, "work")];
  writeFileSync(script, JSON.stringify(SCRIPT));
  mkdirSync(folder);
  const runs = (name: string): number => {
    const path = join(folder, name);
    return writtenLines(path).length;
  };
  let generation = 0;
  const run = async (env: Record<string, string> = {}) => {
    const args = ["agent", "run", "scout", "--json", "--script", script, "--exec", folder];
    const child = ground.start(args, { PARLEY_URL: restarts.hub.url, PARLEY_TOKEN: scout.token, ...env });
    generation += 1;
    await until(async () => {
      const { body } = await callUntilKnown(ana, "agent_status", { agent: "scout" });
      return body.generation === generation && body.lifecycle === "ready" && body.mounts.runtime?.state === "running";
    });
    return child;
  };
  const asked = async () => (await callUntilKnown(ana, "approval_list", {})).body.approvals[0];
  return { ana, ben, run, runs, asked };
}

eachDatabaseOfHubs((database) => {
  test("HTTP-6 and CRASH-3: a runtime that is killed before or after it ran what a person called leaves it unknown, and no other runs it", async () => {
    await using restarts = await Restarts.on(database);
    const { ana, run, runs, asked } = await openGround(restarts);
    const document = { rules: [{ tool: "runtime_exec", server: "runtime", decision: "allow" }] };
    await callUntilKnown(ana, "policy_set", { document, expected_version: 0 });
    for (const [point, times] of [
      ["tool.before_run", 0],
      ["tool.after_run", 1],
    ] as const) {
      const child = await run({ PARLEY_FAILPOINT: `${point}@runtime_exec:kill` });
      const answered = bridged(ana, point);
      await exited(child);
      expect([point, child.signalCode]).toEqual([point, "SIGKILL"]);
      const next = await run();
      const { status, body } = await answered;
      expect([point, status, body.code]).toEqual([point, 502, "CALL_UNKNOWN"]);
      expect((await asked()).state).toBe("unknown");
      const again = await bridged(ana, `${point}.again`);
      expect([again.status, again.body.result?.state]).toEqual([200, "completed"]);
      expect([point, runs(point), runs(`${point}.again`)]).toEqual([point, times, 1]);
      next.kill("SIGTERM");
      await exited(next);
    }
  });

  test("HTTP-6 and G14: a hub that is killed while what a person called is decided has it run once, and its key gives the result", async () => {
    await using restarts = await Restarts.on(database);
    const { ana, ben, run, runs, asked } = await openGround(restarts);
    await restarts.hub.kill("SIGTERM");
    await restarts.start({ PARLEY_FAILPOINT: "approval.after_decide:kill" });
    await run();
    const answered = bridged(ana, "decided");
    await until(async () => (await asked())?.state === "pending");
    const { id, digest } = await asked();
    const decided = callUntilKnown(ben, "approval_decide", { id, digest, decision: "approve" });
    expect(await restarts.ended()).toEqual({ code: null, signal: "SIGKILL" });
    await restarts.start();
    expect([200, 409]).toContain((await decided).status);
    const { status, body } = await answered;
    expect([status, body.result]).toMatchObject([200, { state: "completed", approval_id: id }]);
    expect(runs("decided")).toBe(1);
    expect(await asked()).toMatchObject({ called_by: "ana", decided_by: "ben", state: "completed" });
  });
});
