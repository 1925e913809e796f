import { randomUUID } from "node:crypto";
import { visible } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { Patience } from "../core/patience.ts";
import type { Input } from "../core/tool-types.ts";

type ServerCall = Omit<Input<"agent_call">, "key" | "wait_seconds"> & { key: string | undefined };

/** As long as a request may wait. */
const MOST_WAIT_MS = 50_000;

/** Calls a tool of a server that an agent has mounted, and waits for what comes of it: the same key is the same call. */
export async function callServer(cli: Cli, call: ServerCall, timeout: number): Promise<void> {
  const { key = randomUUID() } = call;
  const called = await new Patience({ wait_ms: timeout * 1000 }).until(
    (wait_seconds) => cli.call("agent_call", { ...call, key, wait_seconds }),
    ({ state }) => state === "completed",
    MOST_WAIT_MS,
  );
  const { approval_id, says, output } = called;
  const text = output ?? `${says} Ask again with --key ${key}`;
  await cli.out.result(called, () => visible(text), [approval_id ?? called.id]);
}
