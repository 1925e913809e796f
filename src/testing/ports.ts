import { randomInt } from "node:crypto";
import { createServer } from "node:net";

/**
 * A port of 127.0.0.1 that stays free while nobody listens on it, for a server that goes away and comes back: it is
 * below those that systems give to whoever asks for any, and above the last one that browsers and `fetch` refuse, 10080.
 */
export async function freePort(): Promise<number> {
  const port = randomInt(10_081, 32_000);
  const server = createServer();
  const free = await new Promise<boolean>((resolve) => {
    server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
  });
  if (!free) return freePort();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
