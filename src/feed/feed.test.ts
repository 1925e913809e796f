/** Whoever listens is told of everything after it became durable, once and in order, whoever wrote it. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { readConfig } from "../config.ts";
import type { Committed, Database } from "../db/database.ts";
import { openDatabase } from "../db/open.ts";
import { statement } from "../db/statement.ts";
import { NodeView } from "../testing/node-view.ts";
import { append } from "./append.ts";
import { Feed, type Where } from "./feed.ts";

/** More than it takes to tell everybody of everything here, however few are told in one. */
const TURNS = 100;
/** However slow the machine is. */
const SOON = { timeout: 90_000 };

const newSpace = statement<{ id: string }>(
  "insert into spaces (id, last_id, default_inbox_id, created_by, created_at) values (:id, 1, 1, '', '')",
);
const AT_ONCE = () => Promise.resolve();

let home: string;
let database: Database;
let committed: (commit: Committed) => void = () => {};
let spaces = 0;
beforeAll(async () => {
  home = mkdtempSync(join(tmpdir(), "parley-feed-"));
  database = await openDatabase({ home });
  database.onCommit((commit) => committed(commit));
});
afterAll(async () => {
  await database[Symbol.asyncDispose]();
  rmSync(home, { recursive: true });
});

/** A space of its own, where nothing has happened yet. */
async function freshSpace(): Promise<string> {
  spaces += 1;
  const id = `sess_${spaces}`;
  await database.write("hub", (tx) => tx.run(newSpace, { id }));
  return id;
}

/** Makes events durable: one after the other of the topics notes, notes and other, in two streams. Or takes a position for none. */
async function commit(space_id: string, events: number): Promise<Committed> {
  const told = new Promise<Committed>((resolve) => {
    committed = resolve;
  });
  const who = { principal_id: "ana", name: "ana", kind: "human", token_id: "", subscriber_id: "" } as const;
  await database.write(space_id, async (tx) => {
    const ctx = {
      db: tx,
      tx,
      database,
      needs: [],
      glances: [],
      explainers: [],
      config: readConfig({ home }, {}),
      address: () => "",
      waiting: [],
      mounts: [],
      calls: [],
      own_tools: new Set<string>(),
      sessions: [],
      sections: [],
      contents: { tables: [], long_tables: [], archived: [], reopened: new Map() },
      hostingRefusal: () => undefined,
      now: () => database.now(),
      actor: { ...who, roles: [], space_id },
    };
    if (events === 0) tx.takeId();
    for (let n = 0; n < events; n++)
      await append(ctx, { type: "noted", topic: n % 3 === 2 ? "other" : "notes", stream: `s${n % 2}`, data: {} });
  });
  return told;
}

interface Listening {
  where: Where;
  told: number[];
  /** The last id that was durable when it was registered. */
  since: number | undefined;
  stop: (() => void) | undefined;
  stopped: boolean;
}

/** A node of a space where others write too, with everything that was written and everybody who listened. */
class Scene {
  readonly space_id: string;
  readonly view: NodeView;
  readonly feed: Feed;
  readonly listenings: Listening[] = [];
  readonly reported: unknown[] = [];
  readonly untold: Committed[] = [];
  readonly written: { id: number; topic: string; stream: string }[] = [];
  last_id = 0;

  constructor(space_id: string, between: () => Promise<unknown>) {
    this.space_id = space_id;
    this.view = new NodeView(database, between);
    this.feed = new Feed(this.view, (error) => this.reported.push(error));
  }

  async write(events: number): Promise<Committed> {
    const made = await commit(this.space_id, events);
    this.written.push(...made.events);
    this.last_id = made.last_id;
    return made;
  }

  listen(where: Omit<Where, "space_id">): Listening {
    const listening: Listening = {
      where: { ...where, space_id: this.space_id },
      told: [],
      since: undefined,
      stop: undefined,
      stopped: false,
    };
    this.listenings.push(listening);
    const registered = this.feed.listen(listening.where, ({ id }) => listening.told.push(id));
    registered.then(
      (stop) => {
        listening.since = this.written.at(-1)?.id ?? 0;
        listening.stop = stop;
      },
      () => {
        listening.stopped = true;
      },
    );
    return listening;
  }

  /** Everything still under way arrives, and then the poll rings, as it always does in the end. */
  async settle(idle: () => Promise<void>): Promise<void> {
    for (const own of this.untold.splice(0)) this.view.tell(own);
    await idle();
    this.view.ring(this.space_id, this.last_id);
    await idle();
    for (let turn = 0; turn < TURNS; turn += 1) await setImmediate();
  }

  check(): void {
    for (const { where, told, since, stopped } of this.listenings) {
      const mine = this.written
        .filter(({ topic, stream }) => topic === where.topic && (where.stream ?? stream) === stream)
        .map(({ id }) => id);
      const from = mine.indexOf(told[0] ?? -1);
      // Without a gap, without a repetition and in order.
      expect(told).toEqual(from < 0 ? [] : mine.slice(from, from + told.length));
      if (!stopped) expect(told.filter((id) => id > (since ?? 0))).toEqual(mine.filter((id) => id > (since ?? 0)));
    }
  }
}

type Step =
  | { do: "own" | "foreign"; events: number }
  | { do: "tell" | "ring" | "poll" }
  | { do: "listen"; topic: string; stream: string | undefined }
  | { do: "stop"; which: number };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constantFrom("own", "foreign"), events: fc.nat(4) }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("tell", "tell", "ring", "poll") }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("listen"),
      topic: fc.constantFrom("notes", "other"),
      stream: fc.constantFrom(undefined, "s0", "s1"),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("stop"), which: fc.nat(9) }) },
);

async function play(scene: Scene, step: Step): Promise<void> {
  if (step.do === "own") scene.untold.push(await scene.write(step.events));
  if (step.do === "foreign") await scene.write(step.events);
  if (step.do === "ring") scene.view.ring(scene.space_id);
  if (step.do === "poll") scene.view.ring(scene.space_id, scene.last_id);
  if (step.do === "listen") scene.listen(step);
  if (step.do === "tell") {
    const [own] = scene.untold.splice(0, 1);
    if (own) scene.view.tell(own);
  }
  if (step.do === "stop") {
    const listening = scene.listenings[step.which % scene.listenings.length];
    if (!listening?.stop) return;
    listening.stop();
    listening.stopped = true;
  }
}

test("in whatever order commits, word of them, reads and registrations come, each listener is told each event once, in order", async () => {
  const steps = fc.array(step, { minLength: 3, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps, async (scheduler, steps) => {
      const scene = new Scene(await freshSpace(), () => scheduler.schedule(AT_ONCE()));
      scheduler.scheduleSequence(steps.map((step) => () => play(scene, step)));
      await scheduler.waitIdle();
      await scene.settle(() => scheduler.waitIdle());

      expect(scene.reported).toEqual([]);
      scene.check();
    }),
    { numRuns: 400 },
  );
});

test("whatever reads fail, each listener is told each event once and in order when the database is back", async () => {
  const steps = fc.array(step, { minLength: 3, maxLength: 14 });
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), steps, fc.array(fc.boolean()), async (scheduler, steps, fails) => {
      const failing = () => (fails.shift() ? Promise.reject(new Error("out of reach")) : AT_ONCE());
      const scene = new Scene(await freshSpace(), () => scheduler.schedule(AT_ONCE()).then(failing));
      scheduler.scheduleSequence(steps.map((step) => () => play(scene, step)));
      await scheduler.waitIdle();
      fails.length = 0;
      await scene.settle(() => scheduler.waitIdle());

      scene.check();
    }),
    { numRuns: 400 },
  );
});

test("a listener that throws is reported, and makes no other miss the event", async () => {
  const scene = new Scene(await freshSpace(), AT_ONCE);
  const where = { space_id: scene.space_id, topic: "notes" };
  const told: number[] = [];
  await scene.feed.listen(where, () => {
    throw new Error("not me");
  });
  await scene.feed.listen(where, ({ id }) => told.push(id));
  const made = await scene.write(2);
  scene.view.tell(made);
  await expect.poll(() => told, SOON).toEqual(made.events.map(({ id }) => id));
  expect(scene.reported).toHaveLength(2);
});

test("word of another node's commit is never lost, however close to the end of a reading it comes", async () => {
  for (let ticks = 0; ticks < 12; ticks++) {
    let reads = 0;
    const scene = new Scene(await freshSpace(), async () => {
      reads += 1;
    });
    const heard = Promise.withResolvers<void>();
    const stop = await scene.feed.listen({ space_id: scene.space_id, topic: "notes" }, () => heard.resolve());
    await scene.write(1);
    scene.view.ring(scene.space_id);
    await heard.promise;
    for (let tick = 0; tick < ticks; tick++) await undefined;

    const before = reads;
    scene.view.ring(scene.space_id);
    await expect.poll(() => reads, { ...SOON, message: `${ticks} ticks after the event` }).toBeGreaterThan(before);
    stop();
  }
});

test("what is missing is read as long as it is missing, and not once more", async () => {
  let reads = 0;
  let failures = 2;
  const scene = new Scene(await freshSpace(), async () => {
    reads += 1;
    if (scene.written.length > 0 && failures-- > 0) throw new Error("out of reach");
  });
  const listening = scene.listen({ topic: "notes" });
  await expect.poll(() => listening.stop, SOON).toBeTruthy();
  const { events } = await scene.write(1);
  const { last_id } = await scene.write(0);
  const poll = () => {
    scene.view.ring(scene.space_id, last_id);
    return listening.told;
  };

  await expect.poll(poll, SOON).toEqual(events.map(({ id }) => id));
  expect(scene.reported).toHaveLength(2);
  const before = reads;
  for (let n = 0; n < 5; n++) await poll();
  await setImmediate();
  expect(reads).toBe(before);
});

test("a listener that cannot be registered is told so, and commits meanwhile do no harm", async () => {
  const gate = Promise.withResolvers<void>();
  const scene = new Scene(await freshSpace(), () => gate.promise);
  const failing = scene.feed.listen({ space_id: scene.space_id, topic: "notes" }, () => {});
  scene.view.tell(await scene.write(1));
  scene.view.ring(scene.space_id);
  gate.reject(new Error("out of reach"));

  await expect(failing).rejects.toThrow("out of reach");
  expect(scene.view.watched).toEqual([]);
});
