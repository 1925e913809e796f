import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { HostedHub } from "./process.ts";

/** Whether somebody has asked the hub and waits for its answer. */
export async function isWaiting({ url, home }: Pick<HostedHub, "url" | "home">): Promise<boolean> {
  const token = readFileSync(join(home, "admin.token"), "utf8").trim();
  const metrics = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
  return /^parley_streams_open\{kind="wait"\} [1-9]/m.test(await metrics.text());
}
