/** What led to what: nothing that was guessed, and nothing that whoever asks could not read themselves. */
import { beforeEach, expect, test } from "vitest";
import { transact } from "../../context.ts";
import { statement } from "../../db/statement.ts";
import { append } from "../../feed/append.ts";
import type { Module } from "../../module.ts";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.parse("2026-11-01T12:00:00Z");
const HOUR = 3_600_000;
const DAY = 24 * HOUR;

const causes = statement<{ id: number }, { cause: number | null; cause_how: string | null }>(
  "select cause, cause_how from events where space_id = 'main' and id = :id",
);

/** Reacts to a sample at once, and again later. */
const sample: Module = {
  name: "sample",
  servers: [],
  tools: [],
  tables: [],
  explains: { topics: ["sample"], sees: async () => true },
  with: {
    "sample.made": async (ctx) =>
      void (await append(ctx, { type: "sample.noted", topic: "sample", stream: "", data: {} })),
  },
  after: {
    sampler: {
      topic: "sample",
      types: ["sample.noted"],
      run: async (ctx) => void (await append(ctx, { type: "sample.seen", topic: "sample", stream: "", data: {} })),
    },
  },
};

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let ben: string;
  let scout: string;
  let otter: string;
  beforeEach(async () => {
    hub = await open({ now: START, modules: [sample] });
    ana = await hub.token("human", "ana");
    ben = await hub.token("human", "ben");
    scout = await hub.token("agent", "scout");
    otter = await hub.token("agent", "otter");
  });

  const because = (id: string) => ({ "x-parley-cause": id });
  const made = async (token: string, tool: string, args: object, cause?: string): Promise<string> => {
    const { status, body } = await hub.call(token, tool, args, cause === undefined ? {} : because(cause));
    expect([status, body]).toEqual([200, expect.anything()]);
    return body.id;
  };
  const ask = (agent: string, content: string) => made(ana, "chat_human_post", { agent, content });
  const say = (token: string, content: string, cause?: string) =>
    made(token, "chat_assistant_post", { content }, cause);
  const send = (token: string, to: string, subject: string, cause?: string) =>
    made(token, "mail_send", { to: [to], subject, body: "b" }, cause);
  const why = async (token: string, id: string) => (await hub.call(token, "event_why", { id })).body;
  const stored = async (id: string) => hub.hub.database.get(causes, { id: Number(id) });

  test("a chain goes from a mail back to what a person said, whoever declared each step of it", async () => {
    const asked = await ask("scout", "Find out why the build is slow");
    const mail = await send(scout, "otter", "Which step takes longest?", asked);
    const reply = await made(otter, "mail_reply", { id: mail, body: "The linker." });
    const said = await say(scout, "It is the linker", reply);

    const { steps, end, led_to } = await why(ana, said);
    expect(end).toBe("first");
    expect(led_to).toEqual([]);
    expect(steps).toMatchObject([
      { id: said, kind: "message", by: "scout", text: "It is the linker", how: "declared" },
      { id: reply, kind: "mail", by: "otter", text: "Re: Which step takes longest?", how: "reply" },
      { id: mail, kind: "mail", by: "scout", text: "Which step takes longest?", how: "declared" },
      { id: asked, kind: "message", by: "ana", text: "Find out why the build is slow", how: null },
    ]);
    expect((await why(ana, asked)).led_to).toMatchObject([{ id: mail, kind: "mail" }]);
    expect((await why(ana, mail)).led_to).toMatchObject([{ id: reply, kind: "mail" }]);
  });

  test("what nobody declared, answered or reacted to has no cause", async () => {
    const first = await ask("scout", "Hello");
    const second = await say(scout, "Hello to you");
    expect(await why(ana, second)).toMatchObject({ steps: [{ id: second, how: null }], end: "first" });
    expect(await why(ana, first)).toMatchObject({ end: "first", led_to: [] });
  });

  test("whoever answers and says what else led to it is believed, and the mail still says what it answers", async () => {
    const asked = await ask("otter", "Answer scout");
    const mail = await send(scout, "otter", "Well?");
    const reply = await made(otter, "mail_reply", { id: mail, body: "Yes." }, asked);
    expect((await why(ana, reply)).steps).toMatchObject([{ id: reply, how: "declared" }, { id: asked }]);
    expect((await hub.call(otter, "mail_thread", { id: mail })).body.messages.at(-1).in_reply_to).toBe(mail);
  });

  test("a cause that is unknown, to come, of another space or for others' eyes is left out, and nobody is told which", async () => {
    const foreign = (await hub.call(hub.admin, "space_create", {})).body.session_id;
    // At a moment of its own: spaces count for themselves, and the same id may be something else here.
    await hub.tick(1000);
    const there = await hub.call(hub.admin, "chat_human_post", { content: "Elsewhere" }, { "x-session-id": foreign });
    await hub.tick(1000);
    const ours = await ask("otter", "Between us");
    const letter = await send(ana, "ben", "Between people");
    const future = String((START + DAY) * 1000);
    const answers = new Set<string>();
    for (const cause of ["17", future, there.body.id, ours, letter]) {
      const { status, body } = await hub.call(scout, "chat_assistant_post", { content: "?" }, because(cause));
      answers.add(JSON.stringify([status, Object.keys(body)]));
      expect([cause, await stored(body.id)]).toEqual([cause, { cause: null, cause_how: null }]);
    }
    expect(answers.size).toBe(1);
    // The same for whoever may see it.
    expect(await stored(await made(otter, "chat_assistant_post", { content: "!" }, ours))).toEqual({
      cause: Number(ours),
      cause_how: "declared",
    });
  });

  test("a cause that is no id is refused, and nothing is written", async () => {
    const refused = await hub.call(scout, "chat_assistant_post", { content: "x" }, because("because I say so"));
    expect([refused.status, refused.body.code]).toEqual([400, "INVALID_ARGUMENT"]);
    expect((await hub.call(scout, "chat_read_since", {})).body.messages).toEqual([]);
  });

  test("of a step that is not for the asker nothing is shown, not even its id, and what lies behind it is", async () => {
    const asked = await ask("scout", "Ask otter");
    const mail = await send(scout, "otter", "Psst", asked);
    const letter = await send(ana, "ben", "Look at this", mail);
    const report = await send(ben, "scout", "For your files", letter);

    const { steps, end } = await why(scout, report);
    expect(end).toBe("first");
    expect(steps).toEqual([
      expect.objectContaining({ id: report, by: "ben", how: "declared" }),
      { id: null, at: null, kind: null, by: null, text: "something you may not see", how: "declared" },
      expect.objectContaining({ id: mail, by: "scout" }),
      expect.objectContaining({ id: asked, by: "ana", how: null }),
    ]);
    expect((await why(scout, mail)).led_to).toEqual([]);
    expect((await why(ben, mail)).led_to).toMatchObject([{ id: letter }]);
  });

  test("to ask about what one may not see is to ask about what is not there", async () => {
    const ours = await ask("otter", "Between us");
    const letter = await send(ana, "ben", "Between people");
    const cleo = await hub.token("human", "cleo");
    const code = async (token: string, id: string) => {
      const { status, body } = await hub.call(token, "event_why", { id });
      return [status, body.code, body.error.replace(id, "ID")];
    };
    const unknown = await code(scout, "17");
    expect(unknown).toEqual([404, "NOT_FOUND", expect.any(String)]);
    expect(await code(scout, ours)).toEqual(unknown);
    expect(await code(cleo, letter)).toEqual(unknown);
  });

  test("an overdue notice leads to the mail that was not acknowledged", async () => {
    const deadline = { to: ["otter"], subject: "Review", body: "b", deadline: "1h" };
    const mail = await made(scout, "mail_send", deadline);
    await hub.tick(2 * HOUR);
    const { notices } = (await hub.call(ana, "notice_list", { open: true })).body;
    expect((await why(ana, notices[0].id)).steps).toMatchObject([
      { id: notices[0].id, kind: "notice", by: null, text: "Overdue: mail from scout", how: "reaction" },
      { id: mail, kind: "mail", by: "scout", text: "Review", how: null },
    ]);
    const { led_to } = await why(ana, mail);
    expect(led_to).toMatchObject([{ kind: "notice" }, { kind: "mail.overdue", by: null, text: "Review" }]);
    // Others' mailboxes are not scout's business, though the mail is.
    expect((await why(scout, mail)).led_to).toEqual([]);
  });

  test("what an agent asks people leads to what it declared, and to nothing where it did not", async () => {
    const asked = await ask("scout", "Deploy it");
    const question = { kind: "choice", title: "May I?", text: "rm", choices: ["allow", "deny"] };
    const declared = await made(scout, "notice_raise", { key: "1", ...question }, asked);
    const silent = await made(scout, "notice_raise", { key: "2", ...question });
    expect((await why(ana, declared)).steps).toMatchObject([{ kind: "notice", how: "declared" }, { id: asked }]);
    expect((await why(scout, declared)).steps).toMatchObject([{ text: "May I?" }, { text: "Deploy it" }]);
    expect((await why(ana, silent)).steps).toMatchObject([{ id: silent, how: null }]);
  });

  test("what reacts to an event, in its transaction or after it, has that event as its cause", async () => {
    const event = { type: "sample.made", topic: "sample", stream: "", data: {} };
    const id = await transact(await hub.as(hub.admin), (ctx) => append(ctx, event));
    await hub.tick(1);
    const [noted] = (await why(ana, String(id))).led_to;
    expect(noted).toMatchObject({ kind: "sample.noted", by: "admin" });
    const [seen] = (await why(ana, noted.id)).led_to;
    expect((await why(ana, seen.id)).steps).toMatchObject([
      { kind: "sample.seen", by: null, how: "reaction" },
      { kind: "sample.noted", how: "reaction" },
      { id: String(id), kind: "sample.made", how: null },
    ]);
  });

  test("what led to a message, a mail or a notice is known for as long as these are kept", async () => {
    const asked = await ask("scout", "Ask otter");
    const mail = await send(scout, "otter", "Well?", asked);
    const reply = await made(otter, "mail_reply", { id: mail, body: "Yes." });
    const notice = await made(scout, "notice_raise", { key: "1", kind: "note", title: "Done", text: "t" }, reply);
    await hub.tick(40 * DAY);
    expect(await stored(asked)).toBeUndefined();

    const { steps, end } = await why(ana, notice);
    expect([steps.map(({ id }: { id: string }) => id), end]).toEqual([[notice, reply, mail, asked], "first"]);
  });

  test("where what led to it is no longer kept, the chain says so and ends there", async () => {
    const id = await transact(await hub.as(hub.admin), (ctx) =>
      append(ctx, { type: "sample.other", topic: "sample", stream: "", data: {} }),
    );
    const said = await say(scout, "I saw it", String(id));
    expect(await why(ana, said)).toMatchObject({ steps: [{ id: said }, { kind: "sample.other" }], end: "first" });
    await hub.tick(40 * DAY);
    expect(await why(ana, said)).toMatchObject({ steps: [{ id: said, how: "declared" }], end: "gone" });
  });

  test("a chain is shown up to twenty steps, and says that there is more", async () => {
    let last = await say(scout, "0");
    for (let n = 1; n <= 20; n += 1) last = await say(scout, String(n), last);
    const { steps, end } = await why(ana, last);
    expect([steps.length, steps.at(-1).text, end]).toEqual([20, "1", "more"]);
  });
});
