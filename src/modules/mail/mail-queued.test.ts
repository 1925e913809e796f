/** Mail that was written some time ago, and could not be sent until now. */
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";

const START = Date.UTC(2026, 0, 31, 12);
const HOUR_MS = 3600 * 1000;
const at = (hours: number): string => new Date(START + hours * HOUR_MS).toISOString();

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  let heron: string;
  beforeEach(async () => {
    hub = await open({ now: START });
    ana = await hub.token("human", "ana");
    heron = await hub.token("agent", "heron");
  });

  const send = (more: object) => hub.call(ana, "mail_send", { to: ["heron"], subject: "S", body: "b", ...more });
  const inbox = async () => (await hub.call(heron, "mail_inbox")).body.messages;

  test("whose deadline has passed since is delivered, overdue, and the people are told once", async () => {
    const { status } = await send({ deadline: at(-1), queued_at: at(-2) });
    await hub.tick(1000);

    expect(status).toBe(200);
    expect(await inbox()).toMatchObject([{ deadline: at(-1), overdue: true }]);
    const { notices } = (await hub.call(ana, "notice_list")).body;
    expect(notices.filter(({ kind }: { kind: string }) => kind === "mail.overdue")).toHaveLength(1);
  });

  test("has a deadline that counts from when it was written, as a reply too", async () => {
    const { body } = await send({ deadline: "1h", queued_at: at(-2) });
    const reply = await hub.call(heron, "mail_reply", { id: body.id, body: "b", deadline: "3h", queued_at: at(-2) });

    expect(reply.status).toBe(200);
    expect(await inbox()).toMatchObject([{ deadline: at(-1) }]);
    expect((await hub.call(ana, "mail_inbox")).body.messages).toMatchObject([{ deadline: at(1), overdue: false }]);
  });

  test.each([
    ["had passed when it was written", { deadline: at(-3), queued_at: at(-2) }],
    ["passed longer ago than anything is kept", { deadline: at(-24 * 8), queued_at: at(-24 * 9) }],
    ["has passed, by a clock that is ahead", { deadline: at(-1), queued_at: at(5) }],
    ["has passed, and it was written at no time", { deadline: at(-1), queued_at: "yesterday" }],
  ])("with a deadline that %s is refused", async (_, more) => {
    expect(await send(more)).toMatchObject({ status: 400, body: { code: "INVALID_ARGUMENT" } });
    expect(await inbox()).toEqual([]);
  });
});
