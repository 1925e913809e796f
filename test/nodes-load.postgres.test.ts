/** Two nodes on one PostgreSQL, everybody talking to both. */
import { expect, test } from "vitest";
import { type Caller, callTool, callUntilKnown, Follower, Reader, Talker } from "../src/testing/crowd.ts";
import { EventReader } from "../src/testing/events.ts";
import { createDatabase, query } from "../src/testing/postgres.ts";
import { until } from "../src/testing/process.ts";
import { Restarts } from "../src/testing/restarts.ts";

/** Two hubs that start at the same moment on an empty database. */
async function twoNodes() {
  const stack = new AsyncDisposableStack();
  const { url, drop } = await createDatabase();
  stack.defer(drop);
  const nodes = [new Restarts({ url }), new Restarts({ url })] as const;
  for (const node of nodes) stack.use(node);
  await Promise.all(nodes.map((node) => node.start()));
  const [a, b] = nodes;
  const at = (node: Restarts, { token }: Caller): Caller => ({ token, url: () => node.hub.url });
  return { a, b, url, at, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

test("under mixed load on two nodes nothing is skipped, doubled or deadlocked, and hints cross over", async () => {
  await using scene = await twoNodes();
  const { a, b, url, at } = scene;
  const ana = await a.token("human", "ana");
  const first = await callUntilKnown(at(b, ana), "chat_human_post", { content: "first" }, "first");
  const nodes = [at(a, ana), at(b, ana)];
  const talkers = nodes.flatMap((node, n) => ["x", "y", "z"].map((name) => new Talker(node, `${name}${n}`)));
  const readers = nodes.map((node) => new Reader(node));
  const followers = nodes.map((node) => new Follower(node));
  let finished = false;
  const reading = readers.map((reader) => reader.run(() => finished));
  let last: string | undefined;
  const following = followers.map((follower) => follower.run(first.body.id, () => last));
  const talking = talkers.map((talker) => talker.run());
  // Whoever fails is told of where it is waited for, not beside the test.
  const all = Promise.all([...reading, ...following, ...talking]);
  all.catch(() => {});
  const twins: string[] = [];

  for (let round = 0; round < 12; round++) {
    // The same key on both nodes at once, and what touches other tables and spaces meanwhile.
    const content = `twins ${round}`;
    const answers = await Promise.all(
      nodes.map((node) => callUntilKnown(node, "chat_human_post", { content }, content)),
    );
    expect(answers.map(({ status, body }) => [status, body.id])).toEqual([1, 2].map(() => [200, answers[0]?.body.id]));
    twins.push(content);
    await Promise.all([admin(a, round, "a"), admin(b, round, "b")]);
    if (round === 6) await query(url, `select pg_terminate_backend(pid) from pg_stat_activity where ${DOORBELL}`);
  }
  await Promise.race([all, until(() => talkers.every(({ acked }) => acked.size >= 20))]);
  for (const talker of talkers) talker.stop();
  await Promise.all(talking);
  finished = true;
  await Promise.all(reading);
  last = readers[0]?.seen.at(-1)?.id;
  await Promise.all(following);

  const said = ["first", ...twins, ...talkers.flatMap(({ acked }) => [...acked.keys()])];
  const [whole = []] = readers.map(({ seen }) => seen);
  expect(whole.map(({ content }) => content).toSorted()).toEqual(said.toSorted());
  const ids = whole.map(({ id }) => Number(id));
  expect(ids).toEqual([...new Set(ids)].sort((x, y) => x - y));
  for (const { seen } of readers) expect(seen).toEqual(whole);
  for (const { ids } of followers) expect(ids).toEqual(whole.slice(1).map(({ id }) => id));
  const [stats] = await query(url, "select deadlocks::int from pg_stat_database where datname = current_database()");
  expect(stats).toEqual({ deadlocks: 0 });
});

test("a token revoked on one node is worth nothing on the other, and what it opened there ends", async () => {
  await using scene = await twoNodes();
  const { a, b, at } = scene;
  const made = await callTool(a.admin, "token_create", { role: "human", name: "ben" });
  const ben = { token: made?.body.token, url: () => b.hub.url };
  const stream = await EventReader.open(b.hub.url, ben.token);
  expect(await callTool(ben, "whoami", {})).toMatchObject({ status: 200, body: { principal: "ben" } });
  // Whoever administers one node is known on the other.
  expect(await callTool(at(b, a.admin), "whoami", {})).toMatchObject({ status: 200 });

  expect(await callTool(a.admin, "token_revoke", { id: made?.body.id })).toMatchObject({ status: 200 });
  await stream.over;
  expect(await callTool(ben, "whoami", {})).toMatchObject({ status: 401 });
});

/** Spaces, agents and tokens, made and ended. */
async function admin({ admin }: Restarts, round: number, node: string): Promise<void> {
  const id = `sess_${node}_${round}`;
  const inside = async (tool: string, args: object) => {
    const reply = await callUntilKnown(admin, tool, args);
    expect([tool, reply.status]).toEqual([tool, 200]);
    return reply.body;
  };
  await inside("space_create", { id, ttl_seconds: 1 });
  // The same name at the same moment in two spaces.
  const { id: token } = await inside("token_create", { role: "agent", name: `agent-${round}`, space: "main" });
  await inside("agent_default", { name: `agent-0` });
  await inside("token_revoke", { id: token });
  await inside("space_delete", { id });
}

const DOORBELL = "application_name = 'parley doorbell' and datname = current_database()";
