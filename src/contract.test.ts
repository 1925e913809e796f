import { globSync, readFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { ROLES } from "./context.ts";
import { CODES, KINDS, ParleyError } from "./errors.ts";
import { MODULES } from "./modules/index.ts";
import { Raw } from "./testing/mcp-raw.ts";
import { onSharedHub } from "./testing/shared-hub.ts";
import { FACETS } from "./tool.ts";
import { Toolbox } from "./toolbox.ts";

/** A model reads the whole list before it does anything; other hubs cost it 24,000 tokens. */
const MOST_TOKENS = 4000;
const CHARACTERS_A_TOKEN = 4;

const toolbox = new Toolbox(MODULES);

test("the contract: every tool with its names, roles, facets, words and schemas", () => {
  for (const { run, scope, input, output, ...tool } of toolbox.all)
    expect({
      ...tool,
      scoped: scope !== undefined,
      input: z.toJSONSchema(input, { io: "input" }),
      output: z.toJSONSchema(output),
    }).toMatchSnapshot(tool.name);
});

test("the contract: every resource and every topic", () => {
  for (const { name, resources = [], topics = [], servers } of MODULES)
    expect({
      servers,
      topics: topics.map((topic) => topic.name),
      resources: resources.map(({ read, watch, ...resource }) => resource),
    }).toMatchSnapshot(name);
});

test("the contract: every error code with its kind, status and exit code", () => {
  // Listed with the codes as its keys.
  const codes = Object.keys(CODES) as (keyof typeof CODES)[];
  const table = codes.map((code) => {
    const { kind, status, exitCode } = new ParleyError(code, "");
    return `${code} ${kind} ${status} ${exitCode}`;
  });
  expect(table).toMatchSnapshot();
});

test("every error code is thrown somewhere", () => {
  const sources = globSync("src/**/*.ts")
    .filter((path) => !/\.test\.ts$|^src\/(testing\/|errors\.ts$)/.test(path))
    .map((path) => readFileSync(path, "utf8"))
    .join("\n");
  const thrown = (code: string): boolean =>
    new RegExp(`(ParleyError|Failure|NoAnswer)\\(\\s*"${code}"|code: "${code}"|\\? "${code}"|: "${code}"\\s*[,)]`).test(
      sources,
    );
  expect(Object.keys(CODES).filter((code) => !thrown(code))).toEqual([]);
});

test("every kind of error has a code, and every code a kind", () => {
  expect(new Set(Object.values(CODES))).toEqual(new Set(Object.keys(KINDS)));
});

test("names fit every client, and titles and descriptions are sentences", () => {
  for (const { name, title, description } of toolbox.all) {
    expect(name).toMatch(/^[a-z][a-z0-9_]{0,39}$/);
    expect([name, title]).toEqual([name, expect.stringMatching(/^[A-Z][^.]{3,60}$/)]);
    expect([name, description]).toEqual([name, expect.stringMatching(/^[A-Z].{20,300}\.$/s)]);
  }
});

test("every tool takes and gives an object, takes no unknown fields, and serves somebody", () => {
  for (const { name, input, output, roles, facets } of toolbox.all) {
    expect([name, z.toJSONSchema(input, { io: "input" })]).toEqual([
      name,
      expect.objectContaining({ type: "object", additionalProperties: false }),
    ]);
    expect([name, z.toJSONSchema(output)]).toEqual([name, expect.objectContaining({ type: "object" })]);
    expect([name, roles.length > 0 && roles.every((role) => ROLES.includes(role))]).toEqual([name, true]);
    expect([name, facets.every((facet) => FACETS.includes(facet))]).toEqual([name, true]);
  }
});

test("no two tools answer to one name", () => {
  const names = toolbox.all.flatMap(({ name, aliases }) => [name, ...aliases]);
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
  const [first] = MODULES;
  if (!first) throw new Error("no modules");
  expect(() => new Toolbox([first, first])).toThrow("two tools answer to");
});

onSharedHub((shared) => {
  const tokens = new Map<string, string>();
  beforeAll(async () => {
    for (const role of ROLES) tokens.set(role, await shared.hub.token(role, `${role}-one`));
  });

  const listed = async (role: string, path = "/mcp"): Promise<{ name: string }[]> =>
    (await new Raw(shared.hub.url, tokens.get(role) ?? "", "main").modern({ method: "tools/list" }, path)).body.result
      .tools;

  test("the list of every role, and that of every facet, costs a model less than 4,000 tokens", async () => {
    for (const role of ROLES)
      for (const path of ["/mcp", ...FACETS.map((facet) => `/mcp/${facet}`)]) {
        const tokens = JSON.stringify(await listed(role, path)).length / CHARACTERS_A_TOKEN;
        expect([role, path, tokens < MOST_TOKENS ? "fits" : tokens]).toEqual([role, path, "fits"]);
      }
    expect(JSON.stringify(await listed("agent")).length).toBeGreaterThan(1000);
  });

  test("without asking for a facet each role is shown by what it takes part in the queue", async () => {
    const ofTasks = async (role: string): Promise<string[]> =>
      (await listed(role)).map(({ name }) => name).filter((name) => /task/.test(name));
    for (const role of ["agent", "orchestrator"]) expect(await ofTasks(role)).toEqual(["task_create", "task_wait"]);
    expect(await ofTasks("trigger")).toEqual(["task_create", "task_get", "task_wait"]);
    expect(await ofTasks("worker")).toEqual(["get_next_task", "task_complete", "task_fail", "task_heartbeat"]);
  });

  test("every tool is listed somewhere, unless it is for programs alone", async () => {
    const all = `/mcp/${FACETS.join("+")}`;
    const names = new Set<string>();
    for (const role of ROLES)
      for (const { name } of [...(await listed(role)), ...(await listed(role, all))]) names.add(name);
    expect([...names].sort()).toEqual(toolbox.all.filter(({ unlisted }) => !unlisted).map(({ name }) => name));
  });

  test("no schema that a model is sent has a long regular expression or a list of types", async () => {
    for (const role of ROLES)
      for (const path of ["/mcp", `/mcp/${FACETS.join("+")}`]) {
        const found: unknown[] = [];
        JSON.stringify(await listed(role, path), (key, value) => {
          if (key === "pattern" && typeof value === "string" && value.length > 60) found.push(value);
          if (key === "type" && Array.isArray(value)) found.push(value);
          return value;
        });
        expect(found).toEqual([]);
      }
  });

  test("the list depends on the role alone, is in order, and shows no alias", async () => {
    for (const role of ROLES) {
      const names = (await listed(role)).map(({ name }) => name);
      expect(names).toEqual([...names].sort());
      expect(names).toEqual((await listed(role)).map(({ name }) => name));
      const actor = await shared.hub.actor(tokens.get(role) ?? "");
      expect(names).toEqual(toolbox.list(actor).map(({ name }) => name));
    }
  });
});
