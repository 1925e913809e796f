import { randomBytes } from "node:crypto";
import { lstat, open, readdir, rename, rm, stat } from "node:fs/promises";
import { hostname } from "node:os";
import { join } from "node:path";
import type { Ctx, TxCtx } from "../../../context.ts";
import type { DueJob } from "../../../module.ts";
import { inFolder } from "../../../wake-file.ts";
import * as store from "../store.ts";
import type { OwedRow } from "../tables.ts";
import { consumeByFile, offerWake, wakeOf } from "./awaiting.ts";

/** How soon it is looked at whether somebody has taken the file: less and less often. */
const FIRST_LOOK_MS = 5_000;
const LONGEST_LOOK_MS = 600_000;
const TEMPORARY = ".tmp-";
const OLD_MS = 60_000;

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
    await rm(path, { force: true });
    return { record: (ctx) => store.noteNoFile(ctx.tx, row.id) };
  }
  const taking = { id: String(row.id), attempt: row.attempt ?? 0 };
  const since = ctx.now() - Date.parse(row.offered_at ?? new Date(ctx.now()).toISOString());
  const again = ctx.now() + Math.min(LONGEST_LOOK_MS, Math.max(FIRST_LOOK_MS, since));
  if (row.filed !== row.attempt) {
    if ((await isToldOtherwise(ctx, row)) || (await isNameTaken(ctx, row))) return { again };
    await write(ctx, path, await contentOf(ctx, row));
    const record = async (ctx: TxCtx): Promise<void> => {
      await store.noteFile(ctx.tx, { id: row.id, attempt: taking.attempt, filed_in: placeOf(ctx) });
      await offerWake(ctx, { ...taking, by: "file" });
    };
    return { again, record };
  }
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
    if (name.startsWith(TEMPORARY) ? await isOld(path) : await isTaken(ctx, name)) await rm(path, { force: true });
  }
}

/** Another hub that has the same folder may be just about to rename it. */
const isOld = async (path: string): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => Date.now() - mtimeMs > OLD_MS,
    () => false,
  );

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

/** Under another name first: whoever watches never sees half of it. */
async function write({ config }: Ctx, path: string, text: string): Promise<void> {
  const temporary = join(config.wake_dir, `${TEMPORARY}${randomBytes(8).toString("hex")}`);
  const file = await inFolder(config.wake_dir, () => open(temporary, "wx", 0o600));
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(temporary, path).catch(async (error: unknown) => {
    await rm(temporary, { force: true });
    throw error;
  });
}

const exists = async (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
