import type { ResourceData } from "$client/index.ts";

/** The JSON a resource holds, or nothing when it holds something else. What it looks like is checked by who reads it. */
export function jsonOf(data: ResourceData): unknown {
  if (data.error) return undefined;
  try {
    return JSON.parse(data[0]?.text ?? "");
  } catch {
    // A hub that says something unreadable has said nothing: what was known stays.
    return undefined;
  }
}

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
