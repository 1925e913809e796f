import type { IncomingMessage } from "node:http";
import type { Config, Typed } from "../config.ts";

/** What stands in the built page for what the hub says of itself. `web/src/app.html` has it. */
const PLACEHOLDER = '<meta name="parley-typed" content="">';

/** The page with what to type on this machine; undefined where it has no place for that. */
export function withTyped(page: string, { program, place }: Typed): string | undefined {
  if (!page.includes(PLACEHOLDER)) return undefined;
  const meta = `<meta name="parley-typed" content="${escaped(program)}" data-place="${escaped(place)}">`;
  return page.replace(PLACEHOLDER, () => meta);
}

/** A command line for who reads this: what leads to this hub on this machine is no good, and no business, elsewhere. */
export function typedFor(request: IncomingMessage, { typed }: Config): Typed {
  return isHere(request) ? typed : { program: "parley", place: "" };
}

/**
 * Whether whoever asks sits at this machine, as far as can be told: somebody in front, who forwards for others, is on
 * this machine too, but goes by another name or says for whom.
 */
export function isHere({ socket, headers }: IncomingMessage): boolean {
  return (
    /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? "") &&
    /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/i.test(headers.host ?? "") &&
    headers["x-forwarded-for"] === undefined &&
    headers.forwarded === undefined
  );
}

const ESCAPES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
export const escaped = (text: string): string => text.replace(/[&<>"]/g, (letter) => ESCAPES[letter] ?? letter);
