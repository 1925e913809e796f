import { setTimeout as sleep } from "node:timers/promises";
import type { CallToolResult, InputRequiredResult, ServerContext, Tool } from "@modelcontextprotocol/server";
import { AUDIO, embedded, IMAGE, saying, text } from "./content.ts";

export interface FixtureTool {
  description: string;
  inputSchema?: Tool["inputSchema"];
  run(args: Record<string, unknown>, ctx: ServerContext): Result | Promise<Result>;
}
type Result = CallToolResult | InputRequiredResult;

/** The suite wants to see that what is sent on the way arrives while the tool is still at work. */
const A_WHILE = 50;

export const CONTENT_TOOLS: Record<string, FixtureTool> = {
  test_simple_text: {
    description: "Returns a text.",
    run: () => saying("This is a simple text response for testing."),
  },
  test_image_content: { description: "Returns an image.", run: () => ({ content: [IMAGE] }) },
  test_audio_content: { description: "Returns a sound.", run: () => ({ content: [AUDIO] }) },
  test_embedded_resource: {
    description: "Returns a resource.",
    run: () => ({
      content: [embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")],
    }),
  },
  test_multiple_content_types: {
    description: "Returns a text, an image and a resource.",
    run: () => ({
      content: [
        text("Multiple content types test:"),
        IMAGE,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ],
    }),
  },
  test_error_handling: {
    description: "Fails.",
    run: () => ({ ...saying("This tool intentionally returns an error for testing"), isError: true }),
  },
  test_tool_with_logging: { description: "Logs three lines.", run: (_args, ctx) => log(ctx) },
  test_logging_tool: { description: "Logs, if it was asked to.", run: (_args, ctx) => log(ctx) },
  test_tool_with_progress: { description: "Reports its progress.", run: (_args, ctx) => progress(ctx) },
  json_schema_2020_12_tool: {
    description: "Takes what JSON Schema 2020-12 can say.",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      $defs: {
        address: {
          $anchor: "addressDef",
          type: "object",
          properties: { street: { type: "string" }, city: { type: "string" } },
        },
      },
      properties: {
        name: { type: "string" },
        address: { $ref: "#/$defs/address" },
        contactMethod: { type: "string", enum: ["phone", "email"] },
        phone: { type: "string" },
        email: { type: "string" },
      },
      allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
      if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
      // biome-ignore lint/suspicious/noThenProperty: it is the keyword of JSON Schema
      then: { required: ["phone"] },
      else: { required: ["email"] },
      additionalProperties: false,
    },
    run: (args) => saying(JSON.stringify(args)),
  },
};

async function log(ctx: ServerContext): Promise<CallToolResult> {
  for (const line of ["Tool execution started", "Tool processing data", "Tool execution completed"]) {
    await ctx.mcpReq.log("info", line);
    await sleep(A_WHILE);
  }
  return saying("Logged.");
}

async function progress(ctx: ServerContext): Promise<CallToolResult> {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  for (const done of [0, 50, 100]) {
    if (progressToken !== undefined)
      await ctx.mcpReq.notify({
        method: "notifications/progress",
        params: { progressToken, progress: done, total: 100 },
      });
    await sleep(A_WHILE);
  }
  return saying("Done.");
}
