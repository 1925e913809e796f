import { link, lstat, readdir, rename, stat, unlink } from "node:fs/promises";
import { hostname } from "node:os";
import { basename, join } from "node:path";
import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import { hit } from "../../../failpoints.ts";
import { Few } from "../../../few.ts";
import type { DueJob } from "../../../module.ts";
import { inFolder, replace } from "../../../wake-file.ts";
import * as store from "../store.ts";
import type { OwedRow } from "../tables.ts";
import { consumeByFile, offerWake, planFile, wakeOf } from "./awaiting.ts";
import { WAKE } from "./due-kinds.ts";

/** How soon it is looked at whether somebody has taken the file: less and less often. */
const FIRST_LOOK_MS = 5_000;
const LONGEST_LOOK_MS = 600_000;
const TEMPORARY = ".tmp-";
const SENT = ".sent";
const OLD_MS = 60_000;
/** A folder lets one file be made at a time: who waits for that in the system burns a processor meanwhile. */
const making = new Few(1);

/** Each file costs a flush of the disk and a commit: those of tasks that end one after another share both. */
export const wakingThrottle = { [WAKE]: 20 };

/**
 * Writes the file that wakes a trigger, and sees to it until somebody has taken it: whoever watches removes it, and if
 * the trigger was told otherwise the hub does.
 */
export const wakeByFile: DueJob = async (ctx, { ref }) => {
  const row = await store.findAwait(ctx.db, { space_id: ctx.actor.space_id, id: ref });
  const path = row && pathOf(ctx, row);
  if (!row || path === undefined) return {};
  if (row.ended_at === null || row.consumed_at !== null) {
    if (row.filed === null) return {};
    for (const file of [path, marksOf(ctx, row.id, row.filed).sent]) await remove(file);
    return { record: (ctx) => store.noteNoFile(ctx.tx, row.id) };
  }
  const taking = { id: String(row.id), attempt: row.attempt ?? 0 };
  const since = ctx.now() - Date.parse(row.offered_at ?? new Date(ctx.now()).toISOString());
  const again = ctx.now() + Math.min(LONGEST_LOOK_MS, Math.max(FIRST_LOOK_MS, since));
  if (row.filed !== row.attempt) {
    if ((await isToldOtherwise(ctx, row)) || (await isNameTaken(ctx, row))) return { again };
    await send(ctx, row, { path, ...marksOf(ctx, row.id, taking.attempt) });
    const record = async (ctx: TxCtx): Promise<void> => {
      await store.noteFile(ctx.tx, { id: row.id, attempt: taking.attempt, filed_in: placeOf(ctx) });
      await offerWake(ctx, { ...taking, by: "file" });
    };
    return { again, record };
  }
  await remove(marksOf(ctx, row.id, taking.attempt).sent);
  if (row.filed_in !== placeOf(ctx) || (await exists(path))) return { again };
  const taken = async (ctx: TxCtx): Promise<void> => {
    await consumeByFile(ctx, taking);
    await store.noteNoFile(ctx.tx, row.id);
  };
  return { record: taken };
};

/** Where the hub starts the session again itself, nobody else is to do it too. */
async function isToldOtherwise(ctx: Ctx, { trigger_name }: OwedRow): Promise<boolean> {
  for (const { tells } of ctx.sessions) if (await tells?.(ctx, { trigger_name: trigger_name ?? "" })) return true;
  return false;
}

/** The file of a trigger and a task has one name: of several sessions that wait for it each has its turn. */
async function isNameTaken(ctx: Ctx, { id, task_id, trigger_name }: OwedRow): Promise<boolean> {
  const awaits = await store.listAwaits(ctx.db, { space_id: ctx.actor.space_id, task_id });
  const others = awaits.filter((one) => one.trigger_name === trigger_name && one.id !== id);
  // Of those that have not begun the first does: two that look at the same time would take each other's.
  return others.some((one) => one.filed !== null || (one.id < id && one.ended_at !== null && one.consumed_at === null));
}

/** Leftovers of a hub that ended in the middle: half a file, and files of wakes that were taken meanwhile. */
export async function drainWakes(ctx: Ctx): Promise<void> {
  const { wake_dir } = ctx.config;
  const names = await readdir(wake_dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
  for (const name of names) {
    const path = join(wake_dir, name);
    if ((await isLeftOver(path, names)) || (await isNoted(ctx, name)) || (await isTaken(ctx, name))) await remove(path);
  }
}

/** What was about to be renamed still is; and another hub that has the same folder may be just about to mark it so. */
const isLeftOver = async (path: string, names: readonly string[]): Promise<boolean> =>
  basename(path).startsWith(TEMPORARY) &&
  !path.endsWith(SENT) &&
  !names.includes(`${basename(path)}${SENT}`) &&
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > OLD_MS,
    () => false,
  );

/**
 * That a file was sent is stored by now, or nobody waits for it any more. Otherwise it is looked at now, not when the turn
 * of who was killed is over.
 */
async function isNoted(ctx: Ctx, name: string): Promise<boolean> {
  const [, id, attempt] = /^\.tmp-(\d{1,16})-(\d{1,9})\.sent$/.exec(name) ?? [];
  if (id === undefined) return false;
  const row = await store.findAwait(ctx.db, { space_id: ctx.actor.space_id, id: Number(id) });
  if (!row) return false;
  const isOver = row.consumed_at !== null || row.filed === Number(attempt) || row.attempt !== Number(attempt);
  if (!isOver) await transact(ctx, (ctx) => planFile(ctx, row.id));
  return isOver;
}

/** What is unknown here may be another hub's. */
async function isTaken(ctx: Ctx, name: string): Promise<boolean> {
  const [, trigger_name, task_id] = /^\.wake-(.+)-(\d{1,16})$/.exec(name) ?? [];
  if (trigger_name === undefined) return false;
  const awaits = await store.listAwaits(ctx.db, { space_id: ctx.actor.space_id, task_id: Number(task_id) });
  const own = awaits.filter((row) => row.trigger_name === trigger_name);
  return own.length > 0 && own.every(({ ended_at, consumed_at }) => ended_at === null || consumed_at !== null);
}

/** Nodes may have folders of their own: in another's there is nothing to be seen of this one. */
const placeOf = ({ config }: Ctx): string => `${hostname()}:${config.wake_dir}`;

/** Undefined for a name that would be no plain file name. */
function pathOf({ config }: Ctx, { trigger_name, task_id }: OwedRow): string | undefined {
  if (trigger_name === null || !/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(trigger_name)) return undefined;
  return join(config.wake_dir, `.wake-${trigger_name}-${task_id}`);
}

/** The session is looked up now: the one that waited may have been replaced since the task ended. */
async function contentOf(ctx: Ctx, row: OwedRow): Promise<string> {
  const { task_id, trigger_name, session_key, channel, response_summary, status, attempt, error } = wakeOf(row);
  let session_id: string | null = null;
  for (const { idOf } of ctx.sessions) session_id ??= (await idOf?.(ctx, { trigger_name, session_key })) ?? null;
  const wake = { task_id, trigger_name, session_key, session_id, channel, response_summary, status, attempt, error };
  return `${JSON.stringify(wake)}\n`;
}

/**
 * Under another name first: whoever watches never sees half of it. And marked as sent before it is renamed: marked, and
 * under its other name no more, it was there, and whoever took it is not told again by a hub that comes after a kill.
 */
async function send(ctx: Ctx, row: OwedRow, { path, temporary, sent }: Marks & { path: string }): Promise<void> {
  if (!(await exists(sent))) {
    await write(ctx, temporary, await contentOf(ctx, row));
    await mark(temporary, sent);
  } else if (!(await exists(temporary))) return;
  await hit("wake.before_file");
  await rename(temporary, path).catch(async (error: unknown) => {
    for (const file of [sent, temporary]) await remove(file);
    throw error;
  });
  await hit("wake.after_file");
}

/** By a second name of the same file where the folder can hold one: to make files is most of what a wake costs the disk. */
async function mark(temporary: string, sent: string): Promise<void> {
  try {
    await hit("wake.mark");
    await link(temporary, sent);
  } catch {
    await (await replace(sent)).close();
  }
}

interface Marks {
  temporary: string;
  sent: string;
}

function marksOf({ config }: Ctx, id: number, attempt: number): Marks {
  const temporary = join(config.wake_dir, `${TEMPORARY}${id}-${attempt}`);
  return { temporary, sent: `${temporary}${SENT}` };
}

async function write({ config }: Ctx, path: string, text: string): Promise<void> {
  const file = await making.run(() => inFolder(config.wake_dir, () => replace(path)));
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** `rm` looks before it removes, which costs as much again. */
const remove = (path: string): Promise<void> =>
  unlink(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
  });

const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
