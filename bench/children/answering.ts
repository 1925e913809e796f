import { rmSync } from "node:fs";
import { monitorEventLoopDelay } from "node:perf_hooks";

export interface Question {
  id: number;
  what: string;
  args: object;
}

export interface Answer {
  id: number;
  value?: unknown;
  error?: string;
}

/** The folder this program may use. */
export const folder = process.argv[2] ?? "";

type Handlers = Readonly<Record<string, (args: never) => unknown>>;

let delays: ReturnType<typeof monitorEventLoopDelay> | undefined;

/** What every program can be asked about itself. */
const own: Handlers = {
  /** Microseconds of CPU this process has used, in all its threads. */
  cpu: () => {
    const { user, system } = process.cpuUsage();
    return user + system;
  },
  /** Bytes in use once everything that can be collected has been. */
  heap: async () => {
    for (let times = 0; times < 3; times += 1) {
      globalThis.gc?.();
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    return process.memoryUsage().heapUsed;
  },
  watch_delays: () => {
    delays = monitorEventLoopDelay({ resolution: 1 });
    delays.enable();
  },
  /** Milliseconds by which the event loop was late in 99 of 100 cases, since `watch_delays`. */
  delays: () => {
    delays?.disable();
    return (delays?.percentile(99) ?? 0) / 1e6;
  },
};

/** Tells the bench that this program is ready and answers what it asks; ends with it. */
export function answerBench(ready: object, more: Handlers = {}): void {
  const handlers: Handlers = { ...own, ...more };
  // Ctrl-C reaches this process too, but it ends with the bench, and leaves nothing behind.
  process.on("SIGINT", () => {});
  process.on("disconnect", () => {
    // What is still being written may come between.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    process.exit(0);
  });
  // Nobody else has this channel.
  process.on("message", (message) => void answer(handlers, message as Question));
  process.send?.({ id: 0, value: ready } satisfies Answer);
}

async function answer(handlers: Handlers, { id, what, args }: Question): Promise<void> {
  try {
    const handler = handlers[what];
    if (!handler) throw new Error(`no handler for ${what}`);
    // The bench asks each program only what it knows.
    const value = await handler(args as never);
    process.send?.({ id, value } satisfies Answer);
  } catch (error) {
    process.send?.({
      id,
      error: error instanceof Error ? (error.stack ?? error.message) : String(error),
    } satisfies Answer);
  }
}
