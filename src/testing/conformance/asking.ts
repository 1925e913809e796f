import type { CallToolResult, ElicitRequestFormParams, ServerContext } from "@modelcontextprotocol/server";
import { saying } from "./content.ts";
import type { FixtureTool } from "./tools.ts";

type Schema = ElicitRequestFormParams["requestedSchema"];

const words = { type: "string" as const };

/** Asking the client in the middle of a call, as the older era does it. */
export const ASKING_TOOLS: Record<string, FixtureTool> = {
  test_sampling: {
    description: "Asks the client's model.",
    inputSchema: { type: "object", properties: { prompt: words }, required: ["prompt"] },
    async run(args, ctx) {
      const answer = await ctx.mcpReq.requestSampling({
        messages: [{ role: "user", content: { type: "text", text: String(args.prompt) } }],
        maxTokens: 100,
      });
      const content = Array.isArray(answer.content) ? answer.content[0] : answer.content;
      return saying(`LLM response: ${content?.type === "text" ? content.text : ""}`);
    },
  },
  test_elicitation: {
    description: "Asks the client's user.",
    inputSchema: { type: "object", properties: { message: words }, required: ["message"] },
    run: (args, ctx) =>
      elicit(ctx, String(args.message), {
        type: "object",
        properties: {
          username: { ...words, description: "User's response" },
          email: { ...words, description: "User's email address" },
        },
        required: ["username", "email"],
      }),
  },
  test_elicitation_sep1034_defaults: {
    description: "Asks with defaults of every kind.",
    run: (_args, ctx) =>
      elicit(ctx, "Please review these defaults.", {
        type: "object",
        properties: {
          name: { ...words, default: "John Doe" },
          age: { type: "integer", default: 30 },
          score: { type: "number", default: 95.5 },
          status: { ...words, enum: ["active", "inactive", "pending"], default: "active" },
          verified: { type: "boolean", default: true },
        },
        required: [],
      }),
  },
  test_elicitation_sep1330_enums: {
    description: "Asks for choices of every kind.",
    run: (_args, ctx) => elicit(ctx, "Please choose.", { type: "object", properties: CHOICES, required: [] }),
  },
};

const titled = (titles: Record<string, string>) =>
  Object.entries(titles).map(([name, title]) => ({ const: name, title }));

const CHOICES: Schema["properties"] = {
  untitledSingle: { ...words, enum: ["option1", "option2", "option3"] },
  titledSingle: {
    ...words,
    oneOf: titled({ value1: "First Option", value2: "Second Option", value3: "Third Option" }),
  },
  legacyEnum: {
    ...words,
    enum: ["opt1", "opt2", "opt3"],
    enumNames: ["Option One", "Option Two", "Option Three"],
  },
  untitledMulti: { type: "array", items: { ...words, enum: ["option1", "option2", "option3"] } },
  titledMulti: {
    type: "array",
    items: { anyOf: titled({ value1: "First Choice", value2: "Second Choice", value3: "Third Choice" }) },
  },
};

async function elicit(ctx: ServerContext, message: string, requestedSchema: Schema): Promise<CallToolResult> {
  const { action, content } = await ctx.mcpReq.elicitInput({ message, requestedSchema });
  return saying(`Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`);
}
