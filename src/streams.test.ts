import { expect, test } from "vitest";
import type { Actor } from "./context.ts";
import { type OpenStream, Streams } from "./streams.ts";

const actorOf = (token_id: string, space_id = "main"): Actor => ({
  principal_id: "p_ana",
  name: "ana",
  kind: "human",
  roles: ["human"],
  space_id,
  token_id,
  subscriber_id: "s_1",
});

class Ending implements OpenStream {
  readonly kind = "events";
  readonly actor: Actor;
  readonly ended: string[] = [];
  leave: () => void = () => {};

  constructor(actor: Actor) {
    this.actor = actor;
  }

  close(why: string): void {
    this.ended.push(why);
    this.leave();
  }
}

function open(streams: Streams, actor: Actor): Ending {
  const stream = new Ending(actor);
  stream.leave = streams.add(stream);
  return stream;
}

test("closing ends those it is about and no others, and each is counted while it is open", () => {
  const open_now = new Map<string, number>();
  const streams = new Streams((kind, change) => open_now.set(kind, (open_now.get(kind) ?? 0) + change));
  const [one, two] = [open(streams, actorOf("t_1")), open(streams, actorOf("t_2"))];
  expect(open_now.get("events")).toBe(2);

  streams.close(({ token_id }) => token_id === "t_1", "revoked");

  expect([one.ended, two.ended]).toEqual([["revoked"], []]);
  expect(open_now.get("events")).toBe(1);
  one.leave();
  expect([open_now.get("events"), streams.count(() => true)]).toEqual([1, 1]);
});

test("a stream that a request opens after its token was revoked, or while the hub stops, is ended too", async () => {
  const streams = new Streams();
  streams.close(({ token_id }) => token_id === "t_1", "revoked");
  const [late, other] = [open(streams, actorOf("t_1")), open(streams, actorOf("t_2"))];
  expect(late.ended).toEqual([]);
  await Promise.resolve();
  expect([late.ended, other.ended]).toEqual([["revoked"], []]);

  streams.close(() => true, "stopping");
  const last = open(streams, actorOf("t_3"));
  await Promise.resolve();
  expect([last.ended, other.ended]).toEqual([["stopping"], ["stopping"]]);
  expect(streams.count(() => true)).toBe(0);
});

test("a stream that left by itself before it could be ended is left alone", async () => {
  const streams = new Streams();
  streams.close(() => true, "revoked");
  const gone = open(streams, actorOf("t_1"));
  gone.leave();
  await Promise.resolve();
  expect(gone.ended).toEqual([]);
});

test("a principal's streams are counted, and those of them that wait for the same", () => {
  const streams = new Streams();
  const wait = (on: string) => streams.add({ kind: "wait", actor: actorOf("t_1"), on, close: () => {} });
  const [leave] = [wait("mail"), wait("mail"), wait("notice")];
  open(streams, actorOf("t_2"));
  const counts = () => [undefined, "mail", "notice", "chat"].map((on) => streams.countOf(actorOf("t_3"), on));
  expect(counts()).toEqual([4, 2, 1, 0]);
  leave?.();
  leave?.();
  expect(counts()).toEqual([3, 1, 1, 0]);
  expect(streams.countOf({ ...actorOf("t_1"), principal_id: "p_ben" })).toBe(0);
});

test("whoever has streams open is looked at once a token and space", () => {
  const streams = new Streams();
  for (const actor of [actorOf("t_1"), actorOf("t_1"), actorOf("t_1", "sess_a"), actorOf("t_2")]) open(streams, actor);
  expect([...streams.actors()].map(({ token_id, space_id }) => [token_id, space_id])).toEqual([
    ["t_1", "main"],
    ["t_1", "sess_a"],
    ["t_2", "main"],
  ]);
});
