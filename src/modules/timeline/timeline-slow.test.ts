import { expect, test } from "vitest";
import { Consumer } from "../../testing/agent-runtime.ts";
import { onDatabase } from "../../testing/hub.ts";
import { TimelineClient } from "../../testing/timeline-socket.ts";

/** Of two texts of 16 KiB each: more than the machine keeps for a connection that nobody reads, about 8 MB. */
const BIG = 240;
/** With these it is further behind than is told one by one. */
const SMALL = 550;
const MOST_EVENTS = 50;

onDatabase("sqlite", (open) => {
  test("TIMELINE-14: a page that does not read costs one message, is given a snapshot when it reads on, and holds up no other", async () => {
    const hub = await open({ config: { rate_limit: 1_000_000 } });
    const [ana, scout] = [await hub.token("human", "ana"), await hub.token("agent", "scout")];
    const consumer = new Consumer(hub, scout);
    await consumer.start();
    const turn_id = await consumer.begin();
    const called = (call_id: string, text: string) => ({
      ...{ type: "ToolCall", sample: 0, call_id, tool: "mail_inbox", arguments: JSON.stringify({ text }) },
    });
    const tell = async (events: object[]) => {
      for (let n = 0; n < events.length; n += MOST_EVENTS) {
        await consumer.tell(turn_id, ...events.slice(n, n + MOST_EVENTS));
        // So that it is heard of, however slow the machine is.
        await consumer.next();
      }
    };
    const text = "x".repeat(16_000);
    const big = Array.from({ length: BIG }, (_, n) => [
      called(`big.${n}`, text),
      { type: "ToolOutput", call_id: `big.${n}`, outcome: "done", output: text },
    ]);
    using slow = await TimelineClient.open(hub, ana);
    using other = await TimelineClient.open(hub, ana);
    await expect.poll(() => [slow.told.length, other.told.length]).toEqual([2, 2]);

    slow.ws.pause();
    await tell(big.flat());
    await tell(Array.from({ length: SMALL }, (_, n) => called(`small.${n}`, "y")));
    const last = `small.${SMALL - 1}`;
    await expect.poll(() => other.shown().at(-1)).toMatchObject({ call_id: last });
    expect(slow.told).toHaveLength(2);

    slow.ws.resume();
    await expect.poll(() => slow.shown().at(-1)).toMatchObject({ call_id: last });
    expect(slow.closed).toBeUndefined();
    expect(slow.of("ui_state_snapshot")).toHaveLength(2);
    // Nothing was kept for it: it was told what had left before, and how it is now.
    expect(slow.of("ui_state_updated").flatMap(({ items }) => items).length).toBeLessThan(BIG);
    expect(slow.shown()).toEqual(other.shown().slice(-slow.shown().length));
  });
});
