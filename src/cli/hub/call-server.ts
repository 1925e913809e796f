import { randomUUID } from "node:crypto";
import { visible } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import type { Input } from "../core/tool-types.ts";

type ServerCall = Omit<Input<"agent_call">, "key" | "wait_seconds"> & { key: string | undefined };

/** As long as a request may wait. */
const MOST_WAIT_SECONDS = 50;
/** For its answer to arrive. */
const GRACE_MS = 10_000;

/** Calls a tool of a server that an agent has mounted, and waits for what comes of it: the same key is the same call. */
export async function callServer(cli: Cli, call: ServerCall, timeout: number): Promise<void> {
  const { key = randomUUID() } = call;
  const until = performance.now() + timeout * 1000;
  for (;;) {
    const left = Math.ceil((until - performance.now()) / 1000);
    const wait_seconds = Math.max(0, Math.min(MOST_WAIT_SECONDS, left));
    const timeout_ms = wait_seconds * 1000 + GRACE_MS;
    const called = await cli.call("agent_call", { ...call, key, wait_seconds }, { timeout_ms });
    if (called.state !== "completed" && left > 0) continue;
    const { approval_id, says, output } = called;
    const text = output ?? `${says} Ask again with --key ${key}`;
    return cli.out.result(called, () => visible(text), [approval_id ?? called.id]);
  }
}
