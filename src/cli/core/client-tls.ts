/** The same exchange with a hub behind TLS. */
import { request } from "node:https";
import { BrokenOff, type Exchange, type Reply } from "./client.ts";

export function exchangeTls(base: URL, { method, path, headers, body, timeout_ms }: Exchange): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, base), { method, agent: false, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      response.on("error", (cause) => reject(new BrokenOff("the hub broke off", { cause })));
    });
    sent.setTimeout(timeout_ms, () => sent.destroy(new Error(`no answer within ${timeout_ms / 1000} s`)));
    sent.on("error", reject);
    sent.end(body);
  });
}
