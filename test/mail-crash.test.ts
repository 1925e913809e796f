/** The hub is killed while mail is sent to many, at the moment a snooze fires, and under somebody who waits. */
import { expect, test } from "vitest";
import type { Failpoint } from "../src/failpoints.ts";
import { type Caller, callTool, callUntilKnown } from "../src/testing/crowd.ts";
import { until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const NAMES = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "haven"];

/** On the way of a send: before it is durable, while it becomes so, and after. */
const POINTS: readonly Failpoint[] = [
  "post.before_begin",
  "post.after_insert",
  "post.before_commit",
  "post.in_commit",
  "post.after_commit",
  "post.before_ack",
];

interface Listed {
  id: string;
  subject: string;
  position: string;
}

const inbox = async (caller: Caller): Promise<Listed[]> =>
  (await callUntilKnown(caller, "mail_inbox", { limit: 100 })).body.messages;
const subjects = async (caller: Caller): Promise<string[]> => (await inbox(caller)).map(({ subject }) => subject);

eachDatabaseOfHubs((database) => {
  test("MAIL-2: killed anywhere while sending to many, all have it or none, and sent again with its key all have it once", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const ana = await restarts.token("human", "ana");
    const agents: Caller[] = [];
    for (const name of NAMES) agents.push(await restarts.token("agent", name));
    const letter = (subject: string) => ({ to: NAMES, subject, body: `About ${subject}` });
    await restarts.hub.kill("SIGTERM");

    const sent: string[] = [];
    for (const point of POINTS) {
      // Not at once: the hub itself writes when it starts, and some are to be acknowledged before.
      await restarts.start({ PARLEY_FAILPOINT: `${point}:kill:6` });
      let open: string | undefined;
      for (let n = 0; open === undefined && n < 50; n++) {
        const subject = `${point} ${n}`;
        const reply = await callTool(ana, "mail_send", letter(subject), subject);
        if (reply) expect([subject, reply.status]).toEqual([subject, 200]);
        else open = subject;
        sent.push(subject);
      }
      expect([point, await restarts.ended()]).toEqual([point, { code: null, signal: "SIGKILL" }]);

      await restarts.start();
      const found = await Promise.all(agents.map(subjects));
      for (const one of found) expect([point, one]).toEqual([point, found[0]]);
      // What was acknowledged is there; of the last one nobody knows.
      expect([sent, sent.slice(0, -1)]).toContainEqual(found[0]?.toReversed());
      const again = await callUntilKnown(ana, "mail_send", letter(String(open)), open);
      expect([point, again.status, again.body.to]).toEqual([point, 200, NAMES]);
      await restarts.hub.kill("SIGTERM");
    }

    await restarts.start();
    for (const agent of agents) expect((await subjects(agent)).toReversed()).toEqual(sent);
    const query = POINTS[0];
    const { body } = await callUntilKnown(agents[0] as Caller, "mail_search", { query, limit: 100 });
    const found: string[] = body.messages.map(({ subject }: Listed) => subject);
    expect(found.toReversed()).toEqual(sent.filter((subject) => subject.startsWith(String(query))));
  });

  test("MAIL-5: killed at the moment a snooze fires, the mail comes back once", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start({ PARLEY_FAILPOINT: "due.before_commit@mail.snooze:kill" });
    const ana = await restarts.token("human", "ana");
    const heron = await restarts.token("agent", "heron");
    const { id } = (await callUntilKnown(ana, "mail_send", { to: ["heron"], subject: "Later", body: "b" })).body;
    await callTool(heron, "mail_update", { id, action: "snooze", until: "2s" });
    expect(await restarts.ended()).toEqual({ code: null, signal: "SIGKILL" });

    await restarts.start();
    const woken = await until(async () => (await inbox(heron)).find((mail) => mail.id === id));
    expect(woken).toMatchObject({ id, read_at: null, snoozed_until: null });
    await restarts.kill();
    await restarts.start();
    expect(await inbox(heron)).toMatchObject([{ id, position: woken.position }]);
    const wakes = async () => (await eventsOf(heron)).filter((type) => type === "mail.woken").length;
    expect(await until(wakes)).toBe(1);
  });

  test("MAIL-5: what was to wake while the hub was down wakes at its next start", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const ana = await restarts.token("human", "ana");
    const heron = await restarts.token("agent", "heron");
    const { id } = (await callUntilKnown(ana, "mail_send", { to: ["heron"], subject: "Later", body: "b" })).body;
    const { body } = await callUntilKnown(heron, "mail_update", { id, action: "snooze", until: "1s" });
    await restarts.kill();
    await until(() => Date.now() > Date.parse(body.messages[0].snoozed_until));
    await restarts.start();
    await until(async () => (await inbox(heron)).some((mail) => mail.id === id));
  });

  test("killed under somebody who waits for mail, the wait fails at once and what it missed is offered again, flagged", async () => {
    await using restarts = await Restarts.on(database);
    await restarts.start();
    const ana = await restarts.token("human", "ana");
    const heron = await restarts.token("agent", "heron");
    const waiting = callTool(heron, "mail_poll", { wait_seconds: 50, channel: "hook" });
    await until(async () => (await metrics(restarts.admin)).includes('parley_streams_open{kind="wait"} 1'));
    await restarts.kill();
    expect(await waiting).toBeUndefined();

    // It is recorded as offered, and the answer is lost.
    await restarts.start({ PARLEY_FAILPOINT: "post.before_ack:kill:2" });
    const lost = callTool(heron, "mail_poll", { wait_seconds: 50, channel: "hook" });
    const sent = await callTool(ana, "mail_send", { to: ["heron"], subject: "Missed", body: "b" });
    expect(sent?.status).toBe(200);
    expect(await lost).toBeUndefined();
    await restarts.ended();

    await restarts.start();
    const { body } = await callUntilKnown(heron, "mail_poll", { wait_seconds: 50, channel: "hook" });
    expect(body).toMatchObject({ ended: "mail", unread: 1 });
    expect(body.messages).toMatchObject([{ subject: "Missed", read_at: null, offered: 1 }]);
  });
});

/** The types of everything that happened in the caller's mailbox. */
async function eventsOf({ url, token }: Caller): Promise<string[]> {
  const stop = new AbortController();
  const headers = { authorization: `Bearer ${token}`, "last-event-id": "0" };
  const response = await fetch(`${url()}/events?topics=mail`, { headers, signal: stop.signal });
  let text = "";
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += chunk;
    // What holds now is told behind everything that happened.
    if (text.includes("event: unread-count")) break;
  }
  stop.abort();
  return [...text.matchAll(/^event: mail\ndata: (.*)$/gm)].map(([, data]) => JSON.parse(data ?? "").type);
}

async function metrics({ url, token }: Caller): Promise<string> {
  return (await fetch(`${url()}/metrics`, { headers: { authorization: `Bearer ${token}` } })).text();
}
