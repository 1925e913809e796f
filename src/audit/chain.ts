import { hash } from "node:crypto";
import type { Fields } from "./entry.ts";

/** A line of a chain: its number, and the digest of the line before it. */
export interface Link {
  seq: number;
  digest: string;
}

/** Before the first line. */
export const START: Link = { seq: 0, digest: "" };

export const digestOf = (line: string): string => hash("sha256", line, "base64url");

/** The text of the line that comes after `before`, and what the next one is linked to. */
export function chained(before: Link, fields: Fields): { line: string; link: Link } {
  const seq = before.seq + 1;
  const line = JSON.stringify({ seq, ...fields, prev: before.digest });
  return { line, link: { seq, digest: digestOf(line) } };
}

/** What a line says of its place, or undefined if it is none of a chain. */
export function placeOf(line: string): { seq: number; prev: string; ts: string } | undefined {
  try {
    const { seq, prev, ts } = JSON.parse(line);
    return Number.isInteger(seq) && typeof prev === "string" && typeof ts === "string" ? { seq, prev, ts } : undefined;
  } catch {
    // Not even JSON: somebody changed it.
    return undefined;
  }
}
