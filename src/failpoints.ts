/**
 * Places where a test can make the hub die, fail or hang: `PARLEY_FAILPOINT=name:action:nth`,
 * several separated by commas. `nth` counts passes from 1 (default 1). `name@of` means only the
 * passes that are of that, such as one kind of what is due. Without the variable
 * every `hit` is one comparison.
 */
export const FAILPOINTS = [
  "post.before_begin",
  "post.after_insert",
  "post.before_commit",
  "post.in_commit",
  "post.after_commit",
  "post.before_ack",
  "post.after_ack",
  "notify.before",
  "due.before_commit",
  "claim.after_update",
  "claim.before_reply",
  "complete.after_update",
  "wake.mark",
  "wake.before_file",
  "wake.after_file",
  "cron.after_slot_insert",
  "webhook.after_commit",
  "run.after_spawn",
  "run.before_record",
  "consumer.after_inject",
  "consumer.after_watermark",
  "tool.before_run",
  "tool.after_run",
  "approval.after_decide",
  "migrate.after_step",
  "checkpoint.before",
] as const;

export type Failpoint = (typeof FAILPOINTS)[number];
type Action = "kill" | "throw" | "eio" | `delay:${number}`;

interface Armed {
  action: Action;
  nth: number | "each";
  passes: number;
}

const armed = new Map<string, Armed>();
for (const entry of (process.env.PARLEY_FAILPOINT ?? "").split(",").filter(Boolean)) arm(entry);

/** For tests in this process; other processes are armed by the environment. */
export function arm(entry: string): void {
  const match = /^([a-z_.]+(?:@[a-z_.]+)?):(kill|throw|eio|delay:\d+)(?::(\d+|each))?$/.exec(entry);
  const [, name, action, nth] = match ?? [];
  if (!name || !action || !FAILPOINTS.some((known) => known === name.split("@")[0]))
    throw new Error(`PARLEY_FAILPOINT: ${entry} is not name[@of]:kill|throw|eio|delay:ms[:nth|each]`);
  // The pattern above lets only actions through.
  armed.set(name, { action: action as Action, nth: nth === "each" ? nth : Number(nth ?? 1), passes: 0 });
}

export const disarm = (): void => armed.clear();

export function hit(name: Failpoint, of?: string): Promise<void> | undefined {
  if (armed.size === 0) return undefined;
  const point = armed.get(`${name}@${of}`) ?? armed.get(name);
  if (!point) return undefined;
  point.passes += 1;
  return point.nth === "each" || point.passes === point.nth ? act(name, point.action) : undefined;
}

async function act(name: string, action: Action): Promise<void> {
  if (action === "kill") {
    process.kill(process.pid, "SIGKILL");
    // The signal arrives at once, but not before this function could return.
    await new Promise(() => {});
  }
  if (action === "throw") throw new Error(`failpoint ${name}`);
  // What node:sqlite throws when fsync fails.
  if (action === "eio") throw Object.assign(new Error("disk I/O error"), { code: "ERR_SQLITE_ERROR", errcode: 1034 });
  await new Promise((resolve) => setTimeout(resolve, Number(action.slice("delay:".length))));
}
