import type { LogEvent } from "../modules/timeline/index.ts";
import type { RetryingPort } from "./port.ts";

const PAGE = 500;
/** Of a long log a model is told the end, from the beginning of a turn on. */
const MOST_BYTES = 512 * 1024;

/** The end of the agent's log, oldest first, as much as a model is told. */
export async function readLog(port: RetryingPort, signal: AbortSignal): Promise<LogEvent[]> {
  const pages: LogEvent[][] = [];
  let bytes = 0;
  for (let before_id: string | undefined, more = true; more; ) {
    const page = await port.call("runtime_log", { limit: PAGE, ...(before_id && { before_id }) }, { signal });
    // What `runtime_log` gives are the entries of a log.
    const events = page.events as LogEvent[];
    pages.unshift(events);
    bytes += events.reduce((sum, event) => sum + sizeOf(event), 0);
    before_id = events[0]?.id;
    more = page.has_more && bytes < MOST_BYTES;
    if (page.has_more && !more) return fromTurn(pages.flat());
  }
  return pages.flat();
}

/** Without the turn that was cut in the middle; all of it where that is one turn. */
function fromTurn(events: readonly LogEvent[]): LogEvent[] {
  const end = events.findIndex(({ type }) => type === "TurnEnded");
  return events.slice(end + 1);
}

function sizeOf(event: LogEvent): number {
  const texts = Object.values(event).filter((value) => typeof value === "string");
  return texts.reduce((sum, text) => sum + text.length, 0);
}
