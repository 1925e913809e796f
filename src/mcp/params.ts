import { ProtocolError } from "@modelcontextprotocol/server";
import { z } from "zod";
import { Unwish, Wish } from "./notifications.ts";

const INVALID_PARAMS = -32602;

const text = (what: string) => z.string(`${what} is a text`);
const Uri = z.looseObject({ uri: text("uri") });
const Task = z.looseObject({ taskId: text("taskId") });
const Paged = z.looseObject({ cursor: text("cursor").optional() }).optional();

/** What the methods need that clients get wrong. */
const PARAMS: Readonly<Record<string, z.ZodType>> = {
  "tools/call": z.looseObject({
    name: text("name"),
    arguments: z.record(z.string(), z.unknown(), "arguments are an object").optional(),
  }),
  "resources/read": Uri,
  "resources/subscribe": Uri,
  "resources/unsubscribe": Uri,
  "notifications/subscribe": Wish.optional(),
  "notifications/unsubscribe": Unwish,
  "tasks/get": Task,
  "tasks/cancel": Task,
  "tasks/update": Task,
  "tools/list": Paged,
  "resources/list": Paged,
  "resources/templates/list": Paged,
};

/** Throws, in a sentence, where they do not fit. */
export function checkParams(method: string, params: unknown): void {
  const [issue] = PARAMS[method]?.safeParse(params)?.error?.issues ?? [];
  if (issue) throw unfit(method, issue.path.length > 0 ? issue.message : "it has no parameters");
}

export const unfit = (method: string, why = "its parameters do not fit"): ProtocolError =>
  new ProtocolError(INVALID_PARAMS, `${method}: ${why}.`, { code: "INVALID_ARGUMENT" });
