import type { CallToolResult } from "@modelcontextprotocol/server";
import { type ErrorBody, errorBody } from "../errors.ts";
import { visibleJson } from "../visible.ts";

/** What a tool found; without the text of it for a program that shows it to no model, which halves the answer. */
export const found = (output: object, { bare = false } = {}): CallToolResult => ({
  content: bare ? [] : [{ type: "text", text: visibleJson(output) }],
  // An object by the type of `run`; the SDK's type wants its members indexable.
  structuredContent: output as Record<string, unknown>,
});

/**
 * Told to the model, which can read it and try something else. No structured content: clients of the older SDK check it
 * against the output schema even on an error.
 */
export const failed = (body: ErrorBody): CallToolResult => ({
  isError: true,
  content: [{ type: "text", text: visibleJson(body) }],
});

export const failedWith = (error: unknown): CallToolResult => failed(errorBody(error));
