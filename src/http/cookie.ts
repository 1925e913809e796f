import type { IncomingMessage } from "node:http";
import { header } from "../header.ts";

/** Every port of a machine has the same cookies: named by its hub, one does not replace another's. */
export const cookieName = (epoch: string): string => `parley_${epoch.slice(0, 12)}`;

/** The values of a cookie, of which there should be at most one. */
export function cookies(request: IncomingMessage, name: string): string[] {
  return (header(request, "cookie") ?? "")
    .split(";")
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1));
}

/** For no script to read and no other site to send. Empty and at once over with `max_age` 0. */
export function setCookie(
  request: IncomingMessage,
  { name, value, max_age }: { name: string; value: string; max_age: number },
): string {
  // Whoever speaks TLS in front of us is seen in the page's origin alone.
  const secure = request.headers.origin?.startsWith("https:") ? "; Secure" : "";
  return `${name}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${max_age}${secure}`;
}
