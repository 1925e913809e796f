import type { Fixtures } from "../../mcp/fixtures.ts";
import type { Handlers } from "../../mcp/server.ts";
import { ASKING_TOOLS } from "./asking.ts";
import { saying } from "./content.ts";
import { INPUT_REQUIRED_TOOLS, requestState } from "./input-required.ts";
import { registerPrompts } from "./prompts.ts";
import { RESOURCES, readFixture, TEMPLATES, WATCHED } from "./resources.ts";
import { CONTENT_TOOLS, type FixtureTool } from "./tools.ts";

const LISTS = {
  toolsListChanged: "notifications/tools/list_changed",
  promptsListChanged: "notifications/prompts/list_changed",
} as const;
type List = keyof typeof LISTS;

/** What the official conformance suite expects of a server it tests. */
export function createFixtures(): Fixtures {
  const listeners = new Set<(list: List) => void>();
  const changes = (list: List): FixtureTool => ({
    description: "Says that a list has changed.",
    run() {
      for (const listener of listeners) listener(list);
      return saying("Said so.");
    },
  });
  const tools: Record<string, FixtureTool> = {
    ...CONTENT_TOOLS,
    ...ASKING_TOOLS,
    ...INPUT_REQUIRED_TOOLS,
    test_trigger_tool_change: changes("toolsListChanged"),
    test_trigger_prompt_change: changes("promptsListChanged"),
  };
  return {
    capabilities: {
      tools: { listChanged: true },
      resources: { subscribe: true },
      prompts: { listChanged: true },
      completions: {},
      logging: {},
    },
    serverOptions: { requestState: { verify: requestState.verify } },
    around(hub, server) {
      registerPrompts(server);
      return around(hub, tools);
    },
    honoured: ({ toolsListChanged, promptsListChanged }) => ({
      ...(toolsListChanged && { toolsListChanged }),
      ...(promptsListChanged && { promptsListChanged }),
    }),
    onListChanged(honoured, tell) {
      const listener = (list: List): void => {
        if (honoured[list]) tell(LISTS[list]);
      };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function around(hub: Handlers, tools: Record<string, FixtureTool>): Handlers {
  const listed = Object.entries(tools).map(([name, { description, inputSchema }]) => ({
    name,
    description,
    inputSchema: inputSchema ?? { type: "object" as const },
  }));
  return {
    listTools: (request, ctx) => ({ tools: [...hub.listTools(request, ctx).tools, ...listed] }),
    async callTool(request, ctx) {
      const { name, arguments: args } = request.params;
      const fixture = Object.hasOwn(tools, name) ? tools[name] : undefined;
      return fixture ? fixture.run(args ?? {}, ctx) : hub.callTool(request, ctx);
    },
    listResources: (request, ctx) => ({ resources: [...hub.listResources(request, ctx).resources, ...RESOURCES] }),
    listTemplates: (request, ctx) => ({
      resourceTemplates: [...hub.listTemplates(request, ctx).resourceTemplates, ...TEMPLATES],
    }),
    readResource: async (request, ctx) => readFixture(request.params.uri) ?? hub.readResource(request, ctx),
    subscribe: async (uri, ctx) => (uri === WATCHED ? undefined : hub.subscribe(uri, ctx)),
    unsubscribe: (uri) => hub.unsubscribe(uri),
  };
}
