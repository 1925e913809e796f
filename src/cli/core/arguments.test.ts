import { expect, test } from "vitest";
import { parseArgs, textProperties } from "../hub/call.ts";
import { duration } from "./duration.ts";
import { exitCodeOf } from "./exit-code.ts";
import { failureOf } from "./failure.ts";

const document = {
  paths: {
    "/api/tools/chat_read_since": {
      post: {
        requestBody: {
          content: {
            "application/json": {
              schema: {
                properties: {
                  after_id: { anyOf: [{ type: "string" }, { type: "null" }] },
                  limit: { type: "integer" },
                  content: { type: "string" },
                  to: { type: "array" },
                },
              },
            },
          },
        },
      },
    },
  },
};
const read = (...args: string[]) => parseArgs(args, async () => textProperties(document, "chat_read_since"));

test("arguments of a call are what the tool takes, and JSON after :=", async () => {
  expect(await read("content=5", "limit=5", "after_id=123", 'to=["ana"]', "empty=")).toEqual({
    content: "5",
    limit: 5,
    after_id: "123",
    to: ["ana"],
    empty: "",
  });
  expect(await read("content:=5", "to:=[1]", "content2=a=b\nc")).toEqual({ content: 5, to: [1], content2: "a=b\nc" });
});

test("arguments of a tool that the hub does not describe are text", async () => {
  expect(await parseArgs(["limit=5"], async () => textProperties(document, "other"))).toEqual({ limit: "5" });
  expect(await parseArgs(["limit=5"], async () => textProperties(undefined, "other"))).toEqual({ limit: "5" });
});

test("arguments that are none are refused", async () => {
  await expect(read("limit:=five")).rejects.toThrow("The value of limit is not JSON");
  await expect(read("limit")).rejects.toThrow("--arg takes name=value or name:=JSON");
  await expect(read("=x")).rejects.toThrow("--arg takes name=value or name:=JSON");
});

test("a length of time is one or more numbers with their units", () => {
  const seconds = (text: string): number => duration("--ttl", text) / 1000;
  expect(["90s", "30m", "24h", "7d", "2w", "1h30m"].map(seconds)).toEqual([90, 1800, 86_400, 604_800, 1_209_600, 5400]);
  for (const text of ["", "5", "1y", "-1h", " 1h", "1h 30m"]) expect(() => seconds(text)).toThrow("--ttl takes");
});

test("what the hub answers becomes an exit code, by its code if that is known and else by the status", () => {
  const exit = (status: number, code: string): number => exitCodeOf(failureOf(status, code, "A sentence."));
  expect(exit(400, "INVALID_ARGUMENT")).toBe(2);
  expect(exit(413, "CONTENT_TOO_LARGE")).toBe(2);
  expect(exit(401, "UNAUTHENTICATED")).toBe(3);
  expect(exit(403, "FORBIDDEN")).toBe(3);
  expect(exit(404, "AGENT_NOT_FOUND")).toBe(4);
  expect(exit(410, "WATERMARK_EXPIRED")).toBe(4);
  expect(exit(409, "IDEMPOTENCY_CONFLICT")).toBe(5);
  expect(exit(429, "RATE_LIMITED")).toBe(1);
  expect(exit(503, "STORAGE_FULL")).toBe(1);
  expect(exit(409, "NOT_INVENTED_YET")).toBe(5);
  expect(exit(422, "NOT_INVENTED_YET")).toBe(2);
  expect(exit(500, "INTERNAL")).toBe(1);
});
