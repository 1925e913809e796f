import { expect, test, vi } from "vitest";
import { onDatabase } from "../testing/hub.ts";

onDatabase("sqlite", (open) => {
  test("a hub alone on its database looks after its runs and renews no lease that nobody reads: idle, it writes nothing", async () => {
    const { hub } = await open({ config: { node_lease_seconds: 0.2 } });
    const looks = vi.spyOn(hub.database, "all");
    const changes = vi.spyOn(hub.database, "compareAndSet");
    const beats = (): number => looks.mock.calls.filter(([{ sqlite }]) => sqlite.text.includes("from nodes")).length;
    await expect.poll(beats).toBeGreaterThan(5);
    expect(changes).not.toHaveBeenCalled();
  });
});
