/**
 * Somebody who calls a hub while others attack it, from a thread of the hub's own process (`node --import`). What a call
 * costs is counted as the time that the hub's other threads were at work between question and answer: for so long it was
 * kept waiting by the hub itself. A machine that is busy with something else stretches that on the clock and not here.
 */
import { connect } from "node:net";
import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { isMainThread, Worker } from "node:worker_threads";
import { RawConnection } from "./raw-http.ts";

/** Where whoever measures is to be found. */
export const MEASURED_AT = "PARLEY_TEST_MEASURED_AT";

export interface Question {
  url: string;
  request: string;
  calls: number;
}

/** Of each call, in milliseconds: the hub's own work until it was answered, and what the clock says. */
export interface Took {
  worked: number[];
  passed: number[];
}

/** Between two calls, at least: so that a turn lasts long enough to meet whatever happens now and then. */
const PAUSE_MS = 1;
const PAUSES = 4;

if (isMainThread && process.env[MEASURED_AT]) new Worker(new URL(import.meta.url)).unref();
else if (!isMainThread) void answer();

async function answer(): Promise<void> {
  const socket = connect(process.env[MEASURED_AT] ?? "");
  const failed = (error: Error): { failed: string } => ({ failed: error.message });
  for await (const line of createInterface(socket))
    socket.write(`${JSON.stringify(await ask(JSON.parse(line)).catch(failed))}\n`);
}

async function ask({ url, request, calls }: Question): Promise<Took> {
  using connection = await RawConnection.open(url);
  const took: Took = { worked: [], passed: [] };
  for (let call = 0; call < calls; call += 1) {
    await setTimeout(PAUSE_MS + (call % PAUSES));
    const [started, worked] = [performance.now(), othersWork()];
    connection.send(request);
    const { status, text } = await connection.answer();
    if (status !== 200) throw new Error(`another's call was answered ${status}: ${text}`);
    took.worked.push(othersWork() - worked);
    took.passed.push(performance.now() - started);
  }
  return took;
}

/** Milliseconds that all threads but this one have worked so far. */
function othersWork(): number {
  const [all, own] = [process.cpuUsage(), process.threadCpuUsage()];
  return (all.user + all.system - own.user - own.system) / 1000;
}
