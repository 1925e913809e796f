/** Every list walks the places of copies: they have to be what the copies' states say. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { statement } from "../../db/statement.ts";
import { eachDatabase } from "../../testing/hub.ts";

const misplaced = statement<Record<string, never>, { mail_id: number; place: string }>(
  `select mail_id, place from mail_recipients where place <>
   case when snoozed_until is not null then 'snoozed' when state <> 'inbox' then state
   when read_at is not null then 'read'
   when priority = 'urgent' then case when offered = 0 then 'urgent_new' else 'urgent' end
   when offered = 0 then 'new' else 'unread' end`,
);

const STEPS = [
  "send",
  "urgent",
  "read",
  "unread",
  "ack",
  "archive",
  "trash",
  "inbox",
  "snooze",
  "poll",
  "pass",
] as const;

eachDatabase((open) => {
  test("where a copy lies is what its state says, whatever is done to it, and the count is that of the list", async () => {
    const hub = await open({ now: Date.parse("2026-11-01T12:00:00Z") });
    const ana = await hub.token("human", "ana");
    const otter = await hub.token("agent", "otter");
    const ids: string[] = [];
    const done = new Set<string>();
    const take = async (step: (typeof STEPS)[number], which: number): Promise<void> => {
      const id = ids[which % ids.length];
      if (step === "send" || step === "urgent" || id === undefined) {
        const priority = step === "urgent" ? "urgent" : "normal";
        const letter = { to: ["otter"], subject: "s", body: "b", priority };
        ids.push((await hub.call(ana, "mail_send", letter)).body.id);
      } else if (step === "poll") await hub.call(otter, "mail_poll", { limit: 3 });
      else if (step === "pass") await hub.tick(3_600_000);
      else {
        const { status } = await hub.call(otter, "mail_update", {
          id,
          action: step,
          ...(step === "snooze" && { until: "2h" }),
        });
        expect(status).toBe(200);
      }
      done.add(step);
    };
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.constantFrom(...STEPS), fc.nat(20)), { minLength: 12, maxLength: 12 }),
        async (steps) => {
          for (const [step, which] of steps) await take(step, which);
          expect(await hub.hub.database.all(misplaced, {})).toEqual([]);
          const { messages, unread } = (await hub.call(otter, "mail_inbox", { unread: true, limit: 100 })).body;
          expect(messages).toHaveLength(unread);
        },
      ),
      { numRuns: 12 },
    );
    expect([...done].sort()).toEqual([...STEPS].sort());
  });
});
