import type { IncomingMessage } from "node:http";

/** A header that may stand only once: where it stands twice the two are one text that fits nowhere. */
export function header(request: IncomingMessage, name: string): string | undefined {
  const value = request.headers[name];
  return Array.isArray(value) ? value.join(", ") : value;
}

/** What a request says about the call it makes, whatever tool that is of. */
export const declared = (request: IncomingMessage) => ({
  idempotency_key: header(request, "idempotency-key"),
  cause: header(request, "x-parley-cause"),
});
