/** A hub is killed while a person decides: what was decided runs once, and what was not decided not at all. */
import { expect, test } from "vitest";
import { type Caller, callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const KILLED = { code: null, signal: "SIGKILL" };
const POINTS = [
  "approval.after_decide",
  "post.before_commit",
  "post.in_commit",
  "post.after_commit",
  "post.before_ack",
];

interface Asked {
  id: string;
  digest: string;
}

/** Runs what it is handed, as a runtime would: never without a claim, and by a name of its own. */
async function run({ id }: Asked, scout: Caller, holder: string): Promise<boolean> {
  const { status, body } = await callUntilKnown(scout, "approval_claim", { id, holder });
  if (status !== 200) return false;
  expect(body).toMatchObject({ state: "executing", holder });
  return true;
}

eachDatabaseOfHubs((database) => {
  test("G14: killed anywhere while it takes a decision, a hub has taken it once or not at all: nothing denied runs, nothing runs twice, and nothing that waits is lost", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const [scout, ana] = [await restarts.token("agent", "scout"), await restarts.token("human", "ana")];
    const cases = POINTS.flatMap((point) => ["approve", "deny_continue"].map((decision) => ({ point, decision })));
    const all: (Asked & (typeof cases)[number])[] = [];
    for (const { point, decision } of cases) {
      const name = `${point} ${decision}`;
      const made = { key: name, call_id: name, server: "runtime", tool: "runtime_exec", arguments: { name } };
      all.push({ ...(await callUntilKnown(scout, "approval_request", made)).body, point, decision });
    }
    for (const { point, decision, ...asked } of all) {
      const name = `${point} ${decision}`;
      await restarts.hub.kill("SIGTERM");
      // Not at once: the hub itself writes when it starts.
      await restarts.start({ PARLEY_FAILPOINT: `${point}:kill${point.startsWith("post") ? ":3" : ""}` });
      const said = { id: asked.id, digest: asked.digest, decision };
      for (let n = 0, reply = await callTool(ana, "approval_decide", said); reply && n < 50; n++)
        reply = await callTool(ana, "chat_human_post", { content: `${name} ${n}`, agent: "scout" });
      expect([name, await restarts.ended()]).toEqual([name, KILLED]);
      await restarts.start();
      const { body: seen } = await callUntilKnown(ana, "approval_get", { id: asked.id });
      expect([name, ["pending", decision === "approve" ? "approved" : "denied"].includes(seen.state)]).toEqual([
        name,
        true,
      ]);
      if (seen.state === "pending") {
        expect(await run(asked, scout, "early")).toBe(false);
        expect((await callUntilKnown(ana, "approval_decide", said)).status).toBe(200);
      } else expect((await callUntilKnown(ana, "approval_decide", said)).body.code).toBe("ALREADY_DECIDED");
      const runs = [await run(asked, scout, "first"), await run(asked, scout, "second")];
      expect([name, runs]).toEqual([name, [decision === "approve", false]]);
    }
  });
});
