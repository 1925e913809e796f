import { flushSync } from "svelte";
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { Draft } from "#lib/draft/draft.svelte.ts";
import type { Hub, Me } from "#lib/hub/hub.svelte.ts";
import { keep, personal, recall } from "#lib/hub/kept.ts";
import { Waiting } from "#lib/offline/waiting.svelte.ts";
import { HubError } from "$client/index.ts";
import { draftName, LETTERS, type Letter, type waitingOf } from "./letters.svelte.ts";

type MailWaiting = ReturnType<typeof waitingOf>;

const AWAY = new HubError("HUB_UNREACHABLE", "The hub cannot be reached.");
const BUSY = new HubError("STORAGE_UNAVAILABLE", "The database does not answer.");
const REFUSED = new HubError("RECIPIENT_NOT_FOUND", "There is no scout.", { status: 404 });
const SIGNED_OUT = new HubError("UNAUTHENTICATED", "Who are you?", { status: 401 });
const WEEK_MS = 7 * 86_400_000;

/** What a browser keeps, with its names. */
class Shelf {
  readonly #items = new Map<string, string>();
  full = false;

  get length(): number {
    return this.#items.size;
  }

  key(at: number): string | null {
    return [...this.#items.keys()][at] ?? null;
  }

  getItem(name: string): string | null {
    return this.#items.get(name) ?? null;
  }

  setItem(name: string, value: string): void {
    if (this.full) throw new Error("QuotaExceededError");
    this.#items.set(name, value);
  }

  removeItem(name: string): void {
    this.#items.delete(name);
  }
}

/** A hub that does each key once, and what is asked of the page's connection to it. */
class FakeHub {
  live = $state(true);
  phase = $state.raw<Hub["phase"]>({ at: "in", me: meOf("ana") });
  /** Whom the cookie is of. */
  cookie = "ana";
  /** Asked before each call that is to do something; what it gives is thrown. */
  trouble: (body: string) => HubError | undefined = () => undefined;
  /** What is to be done waits for it. */
  held: Promise<void> | undefined;
  /** The answer is lost after it was done. */
  loses = false;
  readonly done: string[] = [];
  tries = 0;
  readonly #keys = new Set<string>();

  // The few calls that are made.
  readonly client = { call: (...args: Parameters<FakeHub["call"]>) => this.call(...args) } as unknown as Hub["client"];

  async call(name: string, input: { body: string }, options: { key: string }): Promise<object> {
    await Promise.resolve();
    if (!this.live) throw AWAY;
    if (name === "whoami") return meOf(this.cookie);
    this.tries += 1;
    const { cookie } = this;
    await this.held;
    const error = this.trouble(input.body);
    if (error) throw error;
    if (!this.#keys.has(options.key)) this.done.push(`${cookie}: ${input.body}`);
    this.#keys.add(options.key);
    if (this.loses) throw AWAY;
    return { id: "7", thread_id: "7", to: ["scout"] };
  }

  goAway(): void {
    this.live = false;
    flushSync();
  }

  comeBack(): void {
    this.live = true;
    flushSync();
  }
}

function meOf(principal: string): Me {
  return { principal, kind: "human", roles: ["human"], space: "main", agent: null };
}

const letterOf = (body: string, key = `key of ${body}`): Letter => ({
  tool: "mail_send",
  input: { to: ["scout"], subject: `about ${body}`, body, priority: "urgent" },
  subject: `about ${body}`,
  to: ["scout"],
  key,
  draft: "new",
});

/** The queue as a tab has it that was opened now. */
function tabOf(hub: FakeHub): { waiting: MailWaiting; told: string[]; close: () => void } {
  const waiting = new Waiting(hub, LETTERS);
  const told: string[] = [];
  waiting.listen((text) => told.push(text));
  const close = waiting.follow();
  onTestFinished(close);
  flushSync();
  return { waiting, told, close };
}

const bodies = (waiting: MailWaiting): string[] => waiting.list.map(({ input }) => input.body);
/** Long enough for whatever is under way, and for a pause. */
const aWhile = (): Promise<unknown> => vi.advanceTimersByTimeAsync(6000);

let shelf: Shelf;
beforeEach(() => {
  shelf = new Shelf();
  vi.stubGlobal("localStorage", shelf);
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("with the hub there a mail goes at once, and what the hub refuses is thrown and not kept", async () => {
  const hub = new FakeHub();
  const { waiting, told } = tabOf(hub);
  expect(await waiting.send(letterOf("one"))).toMatchObject({ thread_id: "7" });
  hub.trouble = () => REFUSED;
  await expect(waiting.send(letterOf("two"))).rejects.toBe(REFUSED);
  expect([hub.done, waiting.list, told]).toEqual([["ana: one"], [], []]);
});

test("what is sent while the hub is away goes in order when it is back, also after a reload", async () => {
  const hub = new FakeHub();
  const before = tabOf(hub);
  hub.goAway();
  for (const body of ["one", "two", "three"]) expect(await before.waiting.send(letterOf(body))).toBe("kept");
  expect(before.told.at(-1)).toBe("Kept here. It is sent when the hub is back.");
  before.close();

  const { waiting, told } = tabOf(hub);
  expect(bodies(waiting)).toEqual(["one", "two", "three"]);
  await aWhile();
  expect(hub.done).toEqual([]);
  hub.comeBack();
  await aWhile();
  expect(hub.done).toEqual(["ana: one", "ana: two", "ana: three"]);
  expect([waiting.list, told, shelf.length]).toEqual([[], ["Sent.", "Sent.", "Sent."], 0]);
});

test("an answer that was lost, two tabs and a mail that is written meanwhile: each once, in order", async () => {
  const hub = new FakeHub();
  const [first, second] = [tabOf(hub).waiting, tabOf(hub).waiting];
  hub.loses = true;
  expect(await first.send(letterOf("one"))).toBe("kept");
  expect(hub.done).toEqual(["ana: one"]);
  expect(bodies(second)).toEqual(["one"]);
  // It does not overtake what waits, though the hub is there.
  expect(await second.send(letterOf("two"))).toBe("kept");
  await aWhile();
  hub.loses = false;
  await aWhile();
  expect(hub.done).toEqual(["ana: one", "ana: two"]);
  expect([first.list, second.list]).toEqual([[], []]);
});

test("a trouble that passes is tried again with pauses, and nothing overtakes it", async () => {
  const hub = new FakeHub();
  const { waiting } = tabOf(hub);
  hub.goAway();
  await waiting.send(letterOf("one"));
  await waiting.send(letterOf("two"));
  hub.trouble = (body) => (body === "one" ? BUSY : undefined);
  hub.comeBack();
  await vi.advanceTimersByTimeAsync(12_000);
  expect(hub.tries).toBe(3);
  expect([hub.done, bodies(waiting), waiting.sending]).toEqual([[], ["one", "two"], undefined]);
  expect(await waiting.send(letterOf("three"))).toBe("kept");
  hub.trouble = () => undefined;
  await aWhile();
  expect(hub.done).toEqual(["ana: one", "ana: two", "ana: three"]);
});

test("what the hub refuses stays with its sentence, holds nobody up, and is tried again when somebody says so", async () => {
  const hub = new FakeHub();
  const { waiting } = tabOf(hub);
  hub.goAway();
  await waiting.send(letterOf("one"));
  await waiting.send(letterOf("two"));
  hub.trouble = (body) => (body === "one" ? REFUSED : undefined);
  hub.comeBack();
  await aWhile();
  expect(hub.done).toEqual(["ana: two"]);
  expect(waiting.list).toMatchObject([{ input: { body: "one" }, problem: "There is no scout." }]);
  // Nor does it hold up what is written then.
  expect(await waiting.send(letterOf("three"))).toMatchObject({ thread_id: "7" });
  await aWhile();
  expect(hub.tries).toBe(3);

  hub.trouble = () => undefined;
  waiting.retry("key of one");
  flushSync();
  await aWhile();
  expect(hub.done).toEqual(["ana: two", "ana: three", "ana: one"]);
  expect(waiting.list).toEqual([]);
});

test("taken back it is the draft again, with its key, where there is no other", async () => {
  const hub = new FakeHub();
  const { waiting } = tabOf(hub);
  hub.goAway();
  const letter = letterOf("one");
  const deadline = new Date(2026, 10, 20, 14, 5).toISOString();
  await waiting.send({ ...letter, input: { ...letter.input, deadline } } as Letter);
  await waiting.send({ ...letterOf("two"), tool: "mail_reply", input: { id: "3", body: "two" }, draft: "3" });

  keep(draftName("ana", "new"), "something else");
  expect(await waiting.takeBack("key of one")).toMatch(/There is a draft in its place/);
  expect([bodies(waiting), waiting.taken]).toEqual([["one", "two"], 0]);

  keep(draftName("ana", "new"), null);
  expect(await waiting.takeBack("key of one")).toBeUndefined();
  expect(await waiting.takeBack("key of two")).toBeUndefined();
  expect([waiting.list, waiting.taken]).toEqual([[], 2]);
  const draft = new Draft(draftName("ana", "new"), { to: "", subject: "", body: "", priority: "normal", deadline: "" });
  expect({ ...draft.fields }).toEqual({
    to: "scout",
    subject: "about one",
    body: "one",
    priority: "urgent",
    deadline: "2026-11-20 14:05",
  });
  expect(JSON.parse(recall(draftName("ana", "new")) ?? "")).toMatchObject({ key: "key of one" });
  expect({ ...new Draft(draftName("ana", "3"), { body: "" }).fields }).toEqual({ body: "two" });
  hub.comeBack();
  await aWhile();
  expect(hub.done).toEqual([]);
  expect(await waiting.takeBack("key of one")).toMatch(/no longer here/);
});

test("what one tab is sending no other takes back", async () => {
  const hub = new FakeHub();
  const [one, other] = [tabOf(hub), tabOf(hub)];
  hub.goAway();
  await one.waiting.send(letterOf("one"));
  const held = Promise.withResolvers<void>();
  hub.held = held.promise;
  hub.comeBack();
  await aWhile();
  expect(await one.waiting.takeBack("key of one")).toBe("It is being sent.");
  expect(await other.waiting.takeBack("key of one")).toBe("It is being sent.");
  held.resolve();
  await aWhile();
  expect(await other.waiting.takeBack("key of one")).toMatch(/no longer here/);
  expect([hub.done, one.waiting.list, other.waiting.list]).toEqual([["ana: one"], [], []]);
});

test("what turns out to wait when somebody else has signed in is still its writer's", async () => {
  const hub = new FakeHub();
  const { waiting } = tabOf(hub);
  const held = Promise.withResolvers<void>();
  hub.held = held.promise;
  hub.loses = true;
  const sending = waiting.send(letterOf("one"));
  await aWhile();
  hub.cookie = "ben";
  hub.phase = { at: "in", me: meOf("ben") };
  flushSync();
  held.resolve();
  expect(await sending).toBe("kept");
  hub.loses = false;
  await aWhile();
  expect([waiting.list, hub.done]).toEqual([[], ["ana: one"]]);

  hub.cookie = "ana";
  hub.phase = { at: "in", me: meOf("ana") };
  flushSync();
  await aWhile();
  expect([waiting.list, hub.done]).toEqual([[], ["ana: one"]]);
});

test("what the hub may have done is taken back with a warning, what it has refused without", async () => {
  const hub = new FakeHub();
  const { waiting, told } = tabOf(hub);
  hub.loses = true;
  expect(await waiting.send(letterOf("one"))).toBe("kept");
  await aWhile();
  expect(await waiting.takeBack("key of one")).toBeUndefined();
  expect(told.filter((text) => text.includes("may have been sent"))).toHaveLength(1);

  keep(draftName("ana", "new"), null);
  await waiting.send(letterOf("two"));
  hub.loses = false;
  hub.trouble = () => REFUSED;
  await aWhile();
  expect(waiting.list).toMatchObject([{ problem: REFUSED.message }]);
  expect(await waiting.takeBack("key of two")).toBeUndefined();
  expect(told.filter((text) => text.includes("may have been sent"))).toHaveLength(1);

  // By its key it did something else: most likely the same, with another deadline.
  keep(draftName("ana", "new"), null);
  hub.goAway();
  await waiting.send(letterOf("three"));
  hub.trouble = () => new HubError("IDEMPOTENCY_CONFLICT", "Used for another call.", { status: 409 });
  hub.comeBack();
  await aWhile();
  expect(await waiting.takeBack("key of three")).toBeUndefined();
  expect(told.filter((text) => text.includes("may have been sent"))).toHaveLength(2);
});

test("a draft is gone once it is kept, and stays, with the reason, where it cannot be", async () => {
  const hub = new FakeHub();
  const { waiting } = tabOf(hub);
  hub.goAway();
  const draft = new Draft(draftName("ana", "3"), { body: "" });
  const post = ({ body }: { body: string }, key: string) =>
    waiting.send({ tool: "mail_reply", input: { id: "3", body }, subject: "s", to: ["scout"], key, draft: "3" });
  draft.fields.body = "one";
  shelf.full = true;
  expect(await draft.send(post)).toBeUndefined();
  expect([draft.fields.body, draft.problem]).toEqual(["one", expect.stringContaining("cannot keep it")]);
  shelf.full = false;
  expect(await draft.send(post)).toBe("kept");
  expect([draft.fields.body, recall(draftName("ana", "3")), bodies(waiting)]).toEqual(["", null, ["one"]]);
});

test("it is sent as whoever wrote it: not with somebody else's cookie, and not by who signs in next", async () => {
  const hub = new FakeHub();
  const { waiting } = tabOf(hub);
  hub.goAway();
  await waiting.send(letterOf("one"));
  hub.cookie = "ben";
  hub.comeBack();
  await aWhile();
  hub.phase = { at: "in", me: meOf("ben") };
  flushSync();
  expect(waiting.list).toEqual([]);
  await aWhile();
  hub.phase = { at: "signed-out", why: undefined };
  flushSync();
  await aWhile();
  expect(hub.done).toEqual([]);
  hub.cookie = "ana";
  hub.trouble = () => SIGNED_OUT;
  hub.phase = { at: "in", me: meOf("ana") };
  flushSync();
  await aWhile();
  expect(waiting.list).toMatchObject([{ input: { body: "one" } }]);
  expect(waiting.list[0]?.problem).toBeUndefined();
  hub.trouble = () => undefined;
  hub.goAway();
  hub.comeBack();
  await aWhile();
  expect(hub.done).toEqual(["ana: one"]);
});

test("rubbish in the storage is no mail, and does not hold up what is one", async () => {
  const hub = new FakeHub();
  hub.goAway();
  for (const [at, text] of ["}", "7", "null", '{"tool":"mail_send"}', '{"tool":"token_create","key":"k"}'].entries())
    keep(personal("ana", `mail:waiting:${at}`), text);
  const { waiting } = tabOf(hub);
  expect(waiting.list).toEqual([]);
  await waiting.send(letterOf("one"));
  hub.comeBack();
  await aWhile();
  expect([hub.done, waiting.list]).toEqual([["ana: one"], []]);
});

test("after a week nobody knows whether it was sent before: it is not sent by itself any more", async () => {
  const hub = new FakeHub();
  const { waiting } = tabOf(hub);
  hub.goAway();
  await waiting.send(letterOf("one"));
  vi.setSystemTime(Date.now() + WEEK_MS + 1);
  hub.comeBack();
  await aWhile();
  expect(hub.done).toEqual([]);
  expect(waiting.list[0]?.problem).toMatch(/more than a week/);
  waiting.retry("key of one");
  flushSync();
  await aWhile();
  expect(hub.done).toEqual(["ana: one"]);
});
