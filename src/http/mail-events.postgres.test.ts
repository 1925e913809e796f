import { expect, test, vi } from "vitest";
import { EventStream } from "../testing/event-stream.ts";
import { onDatabase } from "../testing/hub.ts";

onDatabase("postgres", (open) => {
  test("what is sent and read at one node is told and counted at the other", async () => {
    const here = await open();
    const there = await open({ same: here });
    const [ana, heron] = [await here.token("human", "ana"), await here.token("agent", "heron")];
    using stream = await EventStream.open(there.url, { token: heron, topics: "mail" });
    const told = (name: string) => stream.events.filter(({ event }) => event === name);
    const counted = () => told("unread-count").map(({ data }) => data.unread);
    await vi.waitFor(() => expect(counted()).toEqual([0]), { timeout: 90_000 });

    const ids: string[] = [];
    for (let n = 0; n < 5; n++)
      ids.push((await here.call(ana, "mail_send", { to: ["heron"], subject: `${n}`, body: "b" })).body.id);
    await vi.waitFor(() => expect(counted().at(-1)).toBe(5), { timeout: 90_000 });
    expect(told("new-message").map(({ data }) => data.message_id)).toEqual(ids);

    await here.call(heron, "mail_update", { ids, action: "read" });
    await vi.waitFor(() => expect(counted().at(-1)).toBe(0), { timeout: 90_000 });
    expect((await there.call(heron, "mail_inbox")).body.unread).toBe(0);
  });

  test("who was following one node goes on at the other without a gap and without a double", async () => {
    const here = await open();
    const there = await open({ same: here });
    const [ana, heron] = [await here.token("human", "ana"), await here.token("agent", "heron")];
    const send = (subject: string) => here.call(ana, "mail_send", { to: ["heron"], subject, body: "b" });
    const subjects = ({ events }: EventStream) =>
      events.filter(({ event }) => event === "new-message").map(({ data }) => data.subject);

    const first = await EventStream.open(here.url, { token: heron, topics: "mail" });
    await send("one");
    await vi.waitFor(() => expect(subjects(first)).toEqual(["one"]), { timeout: 90_000 });
    first[Symbol.dispose]();
    await send("two");
    using second = await EventStream.open(there.url, { token: heron, topics: "mail", last_event_id: first.last_id });
    await send("three");
    await vi.waitFor(() => expect(subjects(second)).toEqual(["two", "three"]), { timeout: 90_000 });
  });
});
