/** What the queue costs where every wait is a round trip. */
import pg from "pg";
import { afterEach, expect, test, vi } from "vitest";
import { systemActor } from "../../context.ts";
import { Flush } from "../../db/flush.ts";
import { onDatabase } from "../../testing/hub.ts";
import { complete, next } from "./service.ts";

const START = Date.parse("2027-03-01T09:00:00Z");
const WORKERS = 8;

afterEach(() => void vi.restoreAllMocks());

onDatabase("postgres", (open) => {
  test("claims and completions of a batch read all before the first of them writes, and then wait for the COMMIT alone", async () => {
    const hub = await open({ now: START });
    const ana = await hub.token("human", "ana");
    for (let n = 0; n < WORKERS; n++) await hub.call(ana, "task_create", { content: `job ${n}` });
    // What their being made leads to is over: it would share transactions with what is looked at.
    await hub.tick(1000);
    const workers = Array.from({ length: WORKERS }, (_, n) => {
      const who = { principal_id: `worker-${n}`, name: `mason-${n}`, roles: ["worker"] as const };
      return hub.hub.ctx({ ...systemActor("main"), ...who });
    });
    const transactions = watchTransactions();
    const having = (text: string) => transactions().filter(({ texts }) => texts.some((one) => one.startsWith(text)));

    const given = await Promise.all(workers.map((ctx) => next(ctx, { offers: [], wait_seconds: 0 })));
    const ids = given.map(({ next_task }) => Number(next_task?.id));
    expect(new Set(ids).size).toBe(WORKERS);
    const claiming = having("update tasks set status = 'processing'");
    expect(new Set(claiming.map(({ flushes }) => flushes))).toEqual(new Set([2]));
    expect(claiming.flatMap(readsBehindWrites)).toEqual([]);

    const done = { attempt: 1, response_summary: "done" };
    await Promise.all(workers.map((ctx, n) => complete(ctx, { task_id: ids[n] ?? 0, ...done })));
    const completing = having("update tasks set status = $1, response_summary");
    expect(completing.map(({ flushes }) => flushes)).toEqual([2]);
    expect(completing.flatMap(readsBehindWrites)).toEqual([]);
  });
});

interface Sent {
  texts: string[];
  flushes: number;
}

const readsBehindWrites = ({ texts }: Sent): string[] => {
  const first = texts.findIndex((text) => /^(insert|update|delete)/.test(text));
  return texts.slice(first).filter((text) => text.startsWith("select"));
};

/** What was sent on each connection between BEGIN and COMMIT, in its order, and in how many flushes. */
function watchTransactions(): () => Sent[] {
  const flushed = new Map<unknown, string[]>();
  const sent = new Map<unknown, Sent>();
  const over: Sent[] = [];
  const add = Flush.prototype.add;
  vi.spyOn(Flush.prototype, "add").mockImplementation(function (this: Flush, step) {
    flushed.set(this, [...(flushed.get(this) ?? []), step.text]);
    add.call(this, step);
  });
  const query: (...args: unknown[]) => unknown = pg.Client.prototype.query;
  vi.spyOn(pg.Client.prototype, "query").mockImplementation(function (this: pg.Client, ...args: unknown[]) {
    const texts = flushed.get(args[0]) ?? [];
    if (texts[0] === "begin") sent.set(this, { texts: [], flushes: 0 });
    const own = sent.get(this);
    if (own) {
      own.texts.push(...texts.map((text) => text.trim()));
      own.flushes += 1;
      if (texts.at(-1) === "commit") {
        over.push(own);
        sent.delete(this);
      }
    }
    return query.apply(this, args) as ReturnType<typeof pg.Client.prototype.query>;
  });
  return () => over;
}
