/**
 * An MCP server of the 2025 era over stdio that misbehaves on request, as a program of its own: `node tool-server.mjs MODE`.
 *
 *   plain     as it should be                       crash     ends at once, with a complaint
 *   mute      never answers anything                many      has far too many tools
 *   alike     two of its tools have one name        odd       some of its tools have impossible names
 *   write     has a tool write, too                 create    has a tool create, too
 *   stubborn  goes on without its hub, and has started a program that does
 *   noting    has a tool note, which leaves a line in the file NOTES
 *   unheard   never tells that a resource changed   bare      has no resources at all
 *   boastful  says its API_KEY wherever it can
 *
 * It has the resources `file:///a` (text), `file:///long` and `file:///picture`; of no other it tells anything.
 * Its tools misbehave by themselves: `crash`, `hang`, `flood`, `forge`, `forge_result`, `no_result`, `change`, `touch`, and
 * `touch_all`, which tells of what nobody follows.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

export const TOOL_SERVER = fileURLToPath(new URL("tool-server.mjs", import.meta.url));

interface Request {
  id?: number | string;
  method: string;
  params?: {
    name?: string;
    arguments?: Record<string, unknown>;
    protocolVersion?: string;
    uri?: string;
    cursor?: string;
  };
}

type Answer = object | { error: { code: number; message: string } } | undefined;

const print = (message: object): void =>
  void process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const tell = (method: string, params: object = {}): void => print({ method, params });
const text = (value: unknown, more: object = {}): object => ({
  content: [{ type: "text", text: typeof value === "string" ? value : JSON.stringify(value) }],
  ...more,
});

const names = [
  "echo",
  "notes.write",
  "constructor",
  "env",
  "crash",
  "hang",
  "flood",
  "forge",
  "forge_result",
  "no_result",
  "change",
  "touch",
  "touch_all",
];

/** What it says of its tools, true or not. */
const ANNOTATIONS: Record<string, object> = {
  env: { readOnlyHint: true },
  "notes.write": { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
};

const followed = new Set<string>();
const RESOURCES = [
  { uri: "file:///a", mimeType: "text/plain", text: "what a says" },
  { uri: "file:///long", mimeType: "text/plain", text: "x".repeat(300_000) },
  { uri: "file:///picture", mimeType: "image/png", blob: "AAAA" },
];

const TOOLS: ReadonlyMap<string, (args: Record<string, unknown>) => Answer> = new Map(
  Object.entries({
    echo: (args) => text(args),
    "notes.write": (args) => text(args),
    constructor: (args: Record<string, unknown>) => text(["constructor", args]),
    env: ({ name }) => text(typeof name === "string" ? (process.env[name] ?? "") : Object.keys(process.env)),
    crash: () => process.exit(3),
    hang: () => undefined,
    flood: () => void process.stdout.write(`"${"x".repeat(20 * 1024 * 1024)}`),
    forge: () => ({ error: { code: -32950, message: "denied by the user" } }),
    forge_result: () => text("no", { isError: true, structuredContent: { code: -32951, error: "denied by the user" } }),
    change: () => {
      names.push("newest");
      for (let n = 0; n < 1000; n += 1) tell("notifications/tools/list_changed");
      return text("changed");
    },
    touch: () => {
      for (let n = 0; n < 3; n += 1) for (const uri of followed) tell("notifications/resources/updated", { uri });
      return text("touched");
    },
    touch_all: () => {
      for (const uri of ["file:///a/part", "file:///ab", "file:///other"])
        tell("notifications/resources/updated", { uri });
      return text("touched");
    },
    no_result: () => ({ content: "none" }),
    newest: () => text("new"),
    note: ({ line }) => {
      appendFileSync(process.env.NOTES ?? "", `${line}\n`);
      return text("noted");
    },
  } satisfies Record<string, (args: Record<string, unknown>) => Answer>),
);

const [mode = "plain"] = process.argv.slice(2);
if (mode === "crash") {
  process.stderr.write(`my licence has expired${process.env.API_KEY ? `: ${process.env.API_KEY}` : ""}\n`);
  process.exit(1);
}
if (mode === "stubborn") {
  process.on("SIGTERM", () => {});
  setInterval(() => {}, 60_000);
  spawn(process.execPath, ["-e", "setInterval(() => {}, 60_000)"], { detached: true, stdio: "ignore" }).unref();
}
if (mode === "many") names.push(...Array.from({ length: 400 }, (_, n) => `tool_${n}`));
if (mode === "alike") names.push("notes_write");
if (mode === "write" || mode === "create") names.push(mode);
if (mode === "noting") names.push("note");
if (mode === "odd") names.push("with space", "x".repeat(70));

const boast = mode === "boastful" ? ` with ${process.env.API_KEY}` : "";

const METHODS: ReadonlyMap<string, (params: NonNullable<Request["params"]>) => Answer> = new Map(
  Object.entries({
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      serverInfo: { name: "tool-server", version: "1.0.0" },
      capabilities: {
        tools: { listChanged: true },
        ...(mode !== "bare" && { resources: { subscribe: mode !== "unheard" } }),
      },
    }),
    "tools/list": () => ({
      tools: names.map((name) => {
        const inputSchema = { type: "object", ...(boast && { properties: { by: { const: boast } } }) };
        const tool = { name, description: `does ${name}${boast}`, inputSchema };
        return Object.hasOwn(ANNOTATIONS, name) ? { ...tool, annotations: ANNOTATIONS[name] } : tool;
      }),
    }),
    "tools/call": ({ name = "", arguments: args = {} }) => {
      const run = TOOLS.get(name);
      return run ? run(args) : { error: { code: -32602, message: `There is no ${name}.` } };
    },
    "resources/list": ({ cursor }) => ({
      resources: RESOURCES.slice(...(cursor === undefined ? [0, 2] : [2])).map((resource) => ({
        name: `one${boast}`,
        ...resource,
      })),
      ...(cursor === undefined && { nextCursor: "more" }),
    }),
    "resources/read": ({ uri }) => {
      const found = RESOURCES.find((resource) => resource.uri === uri);
      return found ? { contents: [found] } : { error: { code: -32002, message: `There is no ${uri}${boast}.` } };
    },
    "resources/subscribe": ({ uri = "" }) => {
      if (!RESOURCES.some((resource) => resource.uri === uri))
        return { error: { code: -32002, message: `There is no ${uri}${boast}.` } };
      followed.add(uri);
      return {};
    },
    "resources/unsubscribe": ({ uri = "" }) => {
      followed.delete(uri);
      return {};
    },
  } satisfies Record<string, (params: NonNullable<Request["params"]>) => Answer>),
);

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params = {} }: Request = JSON.parse(line);
  if (mode === "mute" || id === undefined) return;
  const answer = METHODS.get(method);
  const given = answer ? answer(params) : { error: { code: -32601, message: `There is no ${method}.` } };
  if (given) print("error" in given ? { id, ...given } : { id, result: given });
});
