import { expect, test } from "vitest";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import { HubError } from "$client/index.ts";
import { Mailbox } from "./mailbox.svelte.ts";

const AWAY = new HubError("HUB_UNREACHABLE", "The hub cannot be reached.");
const REFUSED = new HubError("FORBIDDEN", "Not today.", { status: 403 });

/** A mailbox, and what its hub was told to do, each answered when the test says so. */
function opened() {
  const calls: { done: string; answer: (error?: HubError) => void }[] = [];
  const call = (name: string, { ids, action }: { ids: string[]; action: string }): Promise<object> => {
    if (name !== "mail_update") return Promise.resolve({ messages: [], next: null, unread: 0 });
    const answered = Promise.withResolvers<object>();
    const answer = (error?: HubError): void => (error ? answered.reject(error) : answered.resolve({}));
    calls.push({ done: `${action} ${ids.length}`, answer });
    return answered.promise;
  };
  const hub = { client: { call, now: () => 0 }, me: { principal: "ana" } };
  // Only what sorting needs of it.
  const mailbox = new Mailbox(hub as unknown as Hub, undefined);
  const done = (): string[] => calls.map(({ done }) => done);
  const answer = async (nth: number, error?: HubError): Promise<void> => {
    calls[nth]?.answer(error);
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { mailbox, done, answer };
}

const copies = (count: number) =>
  Array.from({ length: count }, (_, at) => ({
    id: String(at),
    state: "inbox" as const,
    read_at: null,
    acked_at: null,
    snoozed_until: null,
  }));

test("what is done to many mails at once is done before it is taken back, however many", async () => {
  const { mailbox, done, answer } = opened();
  const archived = mailbox.act(copies(150), "archive");
  const back = mailbox.act(copies(150), "inbox");
  for (const nth of [0, 1, 2, 3]) await answer(nth);
  await Promise.all([archived, back]);
  expect(done()).toEqual(["archive 100", "archive 50", "inbox 100", "inbox 50"]);
});

test("what stands behind a change that the hub refuses is done; behind one that finds it away it fails with it", async () => {
  const { mailbox, done, answer } = opened();
  const [refused, next] = [mailbox.act(copies(1), "archive"), mailbox.act(copies(2), "trash")];
  refused.catch(() => {});
  await answer(0, REFUSED);
  await answer(1);
  await expect(refused).rejects.toBe(REFUSED);
  await next;

  const [away, behind] = [mailbox.act(copies(3), "archive"), mailbox.act(copies(4), "trash")];
  for (const act of [away, behind]) act.catch(() => {});
  await answer(2, AWAY);
  await expect(away).rejects.toBe(AWAY);
  await expect(behind).rejects.toBe(AWAY);
  const later = mailbox.act(copies(5), "read");
  await answer(3);
  await later;
  expect(done()).toEqual(["archive 1", "trash 2", "archive 3", "read 5"]);
});
