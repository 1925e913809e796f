import type { ServerResponse } from "node:http";
import { ProtocolError, type RequestId } from "@modelcontextprotocol/server";
import { type ErrorCode, errorBody, internalSentence, isAboutSpace, ParleyError } from "../errors.ts";
import type { Log } from "../log.ts";
import type { Answer } from "./exchange.ts";
import { answerError, idOf } from "./wire.ts";

export const PARSE_ERROR = -32700;
const INVALID_PARAMS = -32602;
const INTERNAL_ERROR = -32603;
/** What the older revisions call a resource that is not there; 2026-07-28 calls it invalid params. */
const RESOURCE_NOT_FOUND = -32002;

/** What a caller is told who did not get as far as a tool: a JSON-RPC error with our code in its data. */
export function toProtocolError(error: unknown, log: Log): ProtocolError {
  if (error instanceof ProtocolError) return error;
  if (error instanceof ParleyError)
    return new ProtocolError(codeOf(error), error.message, { ...error.details, code: error.code });
  log.error("an MCP request failed", { error });
  return internalError(error);
}

export const internalError = (error: unknown): ProtocolError =>
  new ProtocolError(INTERNAL_ERROR, internalSentence(error), { code: "INTERNAL" });

/** A request that is turned away for its form, before any method is looked at. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: number;

  constructor(status: number, code: number, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }

  /** Our word for it. */
  get data(): { code: ErrorCode } {
    if (this.code === PARSE_ERROR) return { code: "INVALID_JSON" };
    return { code: this.status === 404 ? "NOT_FOUND" : this.status === 409 ? "CONFLICT" : "INVALID_ARGUMENT" };
  }
}

/** Tells the caller what went wrong, whatever it was. What was understood but not granted is told in band, as JSON-RPC has it. */
export function answerFailure(response: ServerResponse, error: unknown, id: RequestId | null, log: Log): void {
  if (error instanceof Refusal) {
    answerError(response, error.status, error, id);
    return;
  }
  const { code, message, data } = toProtocolError(error, log);
  const told = error instanceof ParleyError || error instanceof ProtocolError;
  const status = isAboutSpace(error) ? error.status : 200;
  answerError(response, told ? status : 500, { code, message, data }, id);
}

/** What is said to a request that did not get as far as this door: its id may not be known then. */
export function rpcErrorBody(error: unknown, body: unknown): object {
  const { error: message, ...data } = errorBody(error);
  const code =
    error instanceof ParleyError ? (error.code === "INVALID_JSON" ? PARSE_ERROR : error.status * 100) : INTERNAL_ERROR;
  return { jsonrpc: "2.0", id: idOf(body), error: { code, message, data } };
}

/** Numbers of our own lie outside the range JSON-RPC and MCP keep for themselves: the HTTP status, times 100. */
function codeOf(error: ParleyError): number {
  return error.kind === "invalid" || error.kind === "not_found" ? INVALID_PARAMS : error.status * 100;
}

/** The SDK turns -32002 into -32602 for both eras, so it is put back here for the one that knows it. */
export function inLegacyWords(message: Answer): Answer {
  if (!("error" in message) || message.error.code !== INVALID_PARAMS) return message;
  const data: unknown = message.error.data;
  const missing = typeof data === "object" && data !== null && "code" in data && MISSING.has(data.code);
  return missing ? { ...message, error: { ...message.error, code: RESOURCE_NOT_FOUND } } : message;
}

const MISSING = new Set<unknown>(["UNKNOWN_RESOURCE", "AGENT_NOT_FOUND", "THREAD_NOT_FOUND"]);
