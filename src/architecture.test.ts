/** The import rules of STYLE.md 3, and who may know what. Sees every import that names its file in a plain string. */
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";
import type { Module } from "./module.ts";
import { MODULES as ALL_MODULES } from "./modules/index.ts";

/** Lowest first. A module may import the modules before it, and only their index. */
const MODULES = [
  "identity",
  "delivery",
  "events",
  "notices",
  "chat",
  "mail",
  "workspace",
  "questions",
  "approvals",
  "tasks",
  "runs",
  "triggers",
  "timeline",
];

/** Of the types of events, whose they are: `noun.past`. */
const NOUNS = [
  "approvals: approval",
  "approvals: policy",
  "chat: chat",
  "core: due",
  "identity: agent",
  "identity: space",
  "identity: token",
  "mail: mail",
  "notices: need",
  "notices: notice",
  "questions: checkpoint",
  "questions: question",
  "runs: run",
  "runs: streak",
  "tasks: budget",
  "tasks: task",
  "timeline: agent", // that one is called: so it is told, under the topic of runtimes
  "timeline: runtime",
  "timeline: turn",
  "triggers: trigger",
  "workspace: note",
  "workspace: plan",
  "workspace: section",
];

/** Where what events hold is written down. */
const DEFINITIONS = /^src\/feed\/|^src\/due\/dead\.ts$|^src\/modules\/[a-z]+\/service\/events\.ts$/;

const DOORS = ["mcp", "http", "cli", "runtime", "runner", "client"];

/** From a door into another one. */
const PASSAGES = [
  /^http -> src\/mcp\/index\.ts$/, // one server listens for both
  /^mcp -> src\/http\/outlet\.ts$/, // the bounded way out, the same for every stream
  /^(cli|runtime) -> src\/client\//,
  /^mcp -> src\/client\/sse\.ts$/, // what comes as events is read in one way
  /^runtime -> src\/runner\/clients\/index\.ts$/, // what agents' clients take and print is known in one place
  /^runtime -> src\/runner\/definitions\.ts$/, // a program is written down in one way, whoever starts it
  /^cli -> src\/mcp\/stdio(\/channel)?\.ts$/,
  /^cli -> src\/runtime\/servers-file\.ts$/, // as the hub reads it, for `doctor`
  /^cli -> src\/runtime\/((compositor|drivers)\/)?index\.ts$/, // `agent run` is one
  /^cli -> src\/runner\/definitions\.ts$/, // `doctor` reads what may be started as the runner does
];

/** What the command line loads; it starts fast and talks to the hub like any stranger. `serve` is the hub. */
const CLI_LOADS =
  /^node:|^diff$|^src\/(cli\/|client\/|local\/|cost\.ts$|durations\.ts$|errors\.ts$|config\.ts$|suggest\.ts$|text\.ts$|visible\.ts$|readable-json\.ts$|mcp\/stdio(\/channel)?\.ts$|runner\/definitions\.ts$|runtime\/(servers-file|((compositor|drivers)\/)?index)\.ts$)/;

const MODULE_FILE =
  /^((index|schema|tables|store|service|tools|resources|routes)\.ts|(schema|store|service|tools)\/[a-z-]+\.ts|[a-z-]+(\.[a-z-]+)*\.test\.ts)$/;

const files = globSync(["src/**/*.ts", "{test,bench}/**/*.ts", "scripts/*"]).map((path) => path.replaceAll("\\", "/"));
const sources = files
  .filter((path) => path.startsWith("src/") && !/\.test\.ts$|^src\/testing\//.test(path))
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));
const imports = sources.flatMap(({ path, text }) => importsOf(path, text));

test("modules meet only at their index, and only downwards", () => {
  expect(MODULES).toEqual(expect.arrayContaining(globSync("src/modules/*/").map((folder) => posix.basename(folder))));
  const broken = imports.filter(({ path, target }) => {
    const [from, to] = [moduleOf(path), moduleOf(target)];
    if (!to || from === to) return false;
    const downwards = !from || MODULES.indexOf(to) < MODULES.indexOf(from);
    return !downwards || target !== `src/modules/${to}/index.ts`;
  });
  expect(broken).toEqual([]);
});

test("doors never import each other", () => {
  const broken = imports.filter(({ path, target }) => {
    const [from, to] = [doorOf(path), doorOf(target)];
    return from && to && from !== to && !PASSAGES.some((passage) => passage.test(`${from} -> ${target}`));
  });
  expect(broken.filter(({ path, type }) => doorOf(path) !== "cli" || !type)).toEqual([]);
});

test("modules know no doors", () => {
  expect(imports.filter(({ path, target }) => path.startsWith("src/modules/") && doorOf(target))).toEqual([]);
});

test("what modules and doors stand on knows nothing above it", () => {
  const above = (path: string) => path.startsWith("src/modules/") || doorOf(path) !== undefined;
  const broken = imports.filter(({ path, target, type }) => {
    if (above(path) || !above(target) || path === "src/app.ts") return false;
    if (path === "src/main.ts") return doorOf(target) !== "cli";
    return !(path === "src/hub.ts" && type);
  });
  expect(broken).toEqual([]);
});

test("the command line loads next to nothing of the hub", () => {
  const broken = imports.filter(({ path, target, type }) => {
    if (doorOf(path) !== "cli" || type || CLI_LOADS.test(target)) return false;
    return !(path === "src/cli/hub/program.ts" && target === "src/program.ts");
  });
  expect(broken).toEqual([]);
});

test("of the command line every module is a folder whose commands are listed, and the core knows none of them", () => {
  const own = imports.filter(({ path, target }) => path.startsWith("src/cli/") && target.startsWith("src/cli/"));
  const isBelow = (target: string) => cliFolderOf(target) === "core" || target === "src/cli/root.ts";
  const upwards = own.filter(({ path, target }) => cliFolderOf(path) === "core" && !isBelow(target));
  expect(upwards.map(({ path, target }) => `${path} -> ${target}`)).toEqual([
    "src/cli/core/cli.ts -> src/cli/outbox/drain.ts", // what waits is sent before anything else is asked
  ]);
  const folders = globSync("src/cli/*/").map((folder) => posix.basename(folder));
  // The channel is a way that `mcp` works, and has no command.
  const listed = own.filter(({ path }) => path === "src/cli/commands.ts").map(({ target }) => cliFolderOf(target));
  expect(folders.filter((folder) => !["core", "channel"].includes(folder) && !listed.includes(folder))).toEqual([]);
});

test("only db/ knows which database it is", () => {
  expect(whoSays(/"node:sqlite"|["']pg["']|\.backend [!=]==/, /^src\/(db\/|cli\/import\/)/)).toEqual([]);
});

test("the client library runs in a browser: nothing of it but node.ts needs Node, or anything else at run time", () => {
  const own = imports.filter(({ path, type }) => path.startsWith("src/client/") && !type);
  expect(own.filter(({ target }) => !/^src\/client\/(?!node\.ts$)/.test(target))).toEqual([]);
  expect(whoSays(/\b(process|Buffer|require)\b\.?\(?/, /^src\/(?!client\/)|^src\/client\/node\.ts$/)).toEqual([]);
});

test("what happens in the transaction of another's event is listed here, with why", () => {
  const reactions = ALL_MODULES.flatMap(({ name, with: reacts = {} }: Module) =>
    Object.keys(reacts).map((type) => `${type} -> ${name}`),
  );
  expect(reactions).toEqual([
    "due.died -> notices", // what was given up is told to people, or is not given up
    "space.unarchived -> notices", // what is noted of it is what people are told
    "mail.sent -> questions", // a reply to the mail that asks is the answer, and is the first or not
    "agent.deleted -> approvals", // nobody is asked for an agent that is gone
    // What its program called was denied so that the run ends with it: it calls nothing after that.
    "approval.ruled -> runs",
    "approval.decided -> runs",
    // A run is over exactly when its task or its program is: whether the next slot overlaps is seen from the runs.
    "task.completed -> triggers",
    "task.cancelled -> triggers",
    "task.dead -> triggers",
    "run.ended -> triggers",
    // A timeline never says otherwise than what it tells of.
    "approval.requested -> timeline",
    "approval.ruled -> timeline",
    "approval.decided -> timeline",
    "approval.claimed -> timeline",
    "approval.ended -> timeline",
    "question.added -> timeline",
    "question.answered -> timeline",
    "question.closed -> timeline",
    "task.created -> timeline",
    "task.requeued -> timeline",
    "task.completed -> timeline",
    "task.cancelled -> timeline",
    "task.dead -> timeline",
  ]);
});

test("a module appends only types of its own, and each is defined once", () => {
  const defined = sources
    .filter(({ path }) => DEFINITIONS.test(path) && !path.startsWith("src/feed/"))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/"([a-z]+)\.([a-z_]+)"/g)].map(([, noun = "", verb = ""]) => ({
        type: `${noun}.${verb}`,
        whose: `${moduleOf(path) ?? "core"}: ${noun}`,
      })),
    );
  expect([...new Set(defined.map(({ whose }) => whose))].sort()).toEqual(NOUNS);
  const types = defined.map(({ type }) => type).sort();
  expect(types).toEqual([...new Set(types)]);
  const appending = globSync("src/modules/*/service/events.ts").map((path) => moduleOf(path.replaceAll("\\", "/")));
  expect(MODULES.filter((name) => !appending.includes(name))).toEqual(["delivery", "events"]); // they append none
});

test("what an event holds is defined by its module, and nobody appends or reads one past its definition", () => {
  expect(whoSays(/import \{[^}]*\bappend\b[^}]*\} from "[./]+feed\//, /^src\/feed\//)).toEqual([]);
  expect(whoSays(/import \{[^}]*\b(appendGroup|defineEvent)\b[^}]*\} from "[./]+feed\//, DEFINITIONS)).toEqual([]);
  // The data of an event that nobody has looked at have no fields: the compiler sees to all but assertions.
  expect(whoSays(/\bdata as [A-Z{]|FeedEvent<(any|Record)/, /^src\/feed\//)).toEqual([]);
});

test("whoever catches an error and throws another knows what caused it", () => {
  expect(whoSays(/\bcatch \{\s*(\/\/.*\s*)*throw\b/, /\.test\.ts$/)).toEqual([]);
});

test("only stores speak SQL", () => {
  const stores = /^src\/(db\/|idempotency\.ts$)|\/store\.ts$|\/store\/[a-z-]+\.ts$/;
  expect(whoSays(/\bstatement\s*[<(]/, stores)).toEqual([]);
});

test("nobody hears of commits in a way that can make others miss them", () => {
  expect(whoSays(/\.onCommit\(/, /^src\/(db\/|commits\.ts$|feed\/feed\.ts$)/)).toEqual([]);
});

test("sets of roles have names, in one place", () => {
  expect(whoSays(/\broles(:| =) \["|\bhas\([^")]+"[a-z]+", "/, /^src\/context\.ts$/)).toEqual([]);
});

test("only the configuration reads the environment", () => {
  expect(whoSays(/\bprocess\.env\b/, /^src\/(config\.ts|failpoints\.ts|cli\/)/)).toEqual([]);
});

test("nothing that ships needs what is for tests", () => {
  expect(imports.filter(({ target }) => /^src\/testing\/|\.test\.ts$|^vitest/.test(target))).toEqual([]);
});

test("file names are kebab-case, and the same in every module", () => {
  const name = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z]+)*\.(ts|mjs)$/;
  expect(files.filter((path) => !name.test(posix.basename(path)))).toEqual([]);

  const inModules = files.filter((path) => moduleOf(path));
  expect(inModules.filter((path) => !MODULE_FILE.test(path.split("/").slice(3).join("/")))).toEqual([]);
});

test("every form of import is seen", () => {
  const text = `import type { A } from "./a.ts";\nexport {\n  b,\n} from "../b.ts";\nimport "c";\nawait import("./d.ts");`;
  const seen = importsOf("src/mail/index.ts", text).map(({ target, type }) => (type ? `type ${target}` : target));
  expect(seen).toEqual(["type src/mail/a.ts", "src/b.ts", "c", "src/mail/d.ts"]);
});

interface Import {
  path: string;
  /** A file of ours from the root of the checkout, or the name of a package. */
  target: string;
  /** Gone at run time. */
  type: boolean;
}

function importsOf(path: string, text: string): Import[] {
  const forms = /^(?:import|export)\s(type\s)?[^;"=()]*\sfrom\s+"([^"]+)"|^import\s+"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;
  return [...text.matchAll(forms)].map(([, type, named, bare, dynamic]) => {
    const name = named ?? bare ?? dynamic ?? "";
    const target = name.startsWith(".") ? posix.join(posix.dirname(path), name) : name;
    return { path, target, type: type !== undefined };
  });
}

function whoSays(words: RegExp, allowed: RegExp): string[] {
  return sources.filter(({ path, text }) => words.test(text) && !allowed.test(path)).map(({ path }) => path);
}

function moduleOf(path: string): string | undefined {
  return /^src\/modules\/([^/]+)\//.exec(path)?.[1];
}

function cliFolderOf(path: string): string {
  return path.split("/").slice(2, -1).join("/");
}

function doorOf(path: string): string | undefined {
  return DOORS.find((door) => path.startsWith(`src/${door}/`));
}
