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
    const { outcome, output } = await heard(asking, signal, work);
    return { outcome, output: mask(output) };
  } catch (error) {
    if (ProtocolError.isInstance(error)) {
      const { outcome, output } = refusalOf(asking.name, error);
      return { outcome, output: mask(output) };
    }
    throw error instanceof Error ? new Error(mask(error.message), { cause: error }) : error;
  }
}

/** Throws whatever went wrong. An address has no connection whose end would be told: it is found out by who asks. */
export async function heard<T>(
  { timeout, events }: Asking,
  signal: AbortSignal,
  work: (limits: Limits) => Promise<T>,
): Promise<T> {
  try {
    return await work({ timeout, resetTimeoutOnProgress: true, signal });
  } catch (error) {
    const isLate = SdkError.isInstance(error) && error.code === SdkErrorCode.RequestTimeout;
    const isAnswer = ProtocolError.isInstance(error) || error instanceof NotFollowed;
    if (!isLate && !isAnswer && !signal.aborted) events.closed(error instanceof Error ? error.message : String(error));
    throw error;
  }
}
