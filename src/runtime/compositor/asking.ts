import { type Client, ProtocolError, SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import type { Mask } from "../../local/secrets.ts";
import type { ToolResult } from "../toolset.ts";
import { refusalOf } from "./results.ts";
import type { ServerEvents } from "./server.ts";

/** The server is there, and has no such resource. */
export class NotFollowed extends Error {
  override readonly name = "NotFollowed";
}

/** Whom is asked, and who hears that nobody answers there any more. */
export interface Asking {
  name: string;
  client: Client;
  timeout: number;
  events: ServerEvents;
  /** Takes out what the server was given in confidence. */
  mask: Mask;
}

interface Limits {
  timeout: number;
  resetTimeoutOnProgress: true;
  signal: AbortSignal;
}

/** What the server has against it is a result. */
export async function ask(
  asking: Asking,
  signal: AbortSignal,
  work: (limits: Limits) => Promise<ToolResult>,
): Promise<ToolResult> {
  const { mask } = asking;
  try {
    const { outcome, output } = await answered(asking, signal, work);
    return { outcome, output: mask(output) };
  } catch (error) {
    if (ProtocolError.isInstance(error)) {
      const { outcome, output } = refusalOf(asking.name, error);
      return { outcome, output: mask(output) };
    }
    throw discreet(error, mask);
  }
}

/** Throws whatever went wrong, in words that anybody may read. */
export async function heard<T>(asking: Asking, signal: AbortSignal, work: (limits: Limits) => Promise<T>): Promise<T> {
  try {
    return await answered(asking, signal, work);
  } catch (error) {
    throw discreet(error, asking.mask);
  }
}

/** Of what a server says all texts, however deep they are. */
export function discreetIn<T>(value: T, mask: Mask): T;
export function discreetIn(value: unknown, mask: Mask): unknown {
  if (typeof value === "string") return mask(value);
  if (Array.isArray(value)) return value.map((one) => discreetIn(one, mask));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, discreetIn(one, mask)]));
}

export const discreet = (error: unknown, mask: Mask): unknown =>
  error instanceof Error ? new Error(mask(error.message), { cause: error }) : error;

/** An address has no connection whose end would be told: it is found out by who asks. */
async function answered<T>(
  { timeout, events }: Asking,
  signal: AbortSignal,
  work: (limits: Limits) => Promise<T>,
): Promise<T> {
  try {
    return await work({ timeout, resetTimeoutOnProgress: true, signal });
  } catch (error) {
    const isLate = SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout;
    const isAnswer = ProtocolError.isInstance(error) || error instanceof NotFollowed || isNoResult(error);
    if (!isLate && !isAnswer && !signal.aborted) events.closed(error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** Whoever answers with what is no result is there. */
const isNoResult = (error: unknown): boolean => SdkError.isInstance(error) && error.code === SdkErrorCode.InvalidResult;
