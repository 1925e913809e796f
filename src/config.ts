import { homedir, hostname } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { chooseDatabase } from "./database-choice.ts";
import { StartRefused } from "./errors.ts";
import { type FolderSettings, readSettings } from "./local/settings.ts";

/** How a hub is to run. The only reader of the environment; see docs/reference/config.md. */
export interface Config {
  home: string;
  host: string;
  port: number;
  database_url: string | undefined;
  /** Where that was read from, if from a file. */
  database_url_file?: string | undefined;
  /** Other names under which browsers and clients may reach it, as `host` or `host:port`. */
  allowed_hosts: readonly string[];
  /** Listen beyond this machine without TLS: somebody else encrypts. */
  insecure: boolean;
  /** Calls a second that one principal may make for long; ten times that at once. */
  rate_limit: number;
  /** Kilobytes a second that one principal may send for long; ten times that at once. */
  rate_limit_kb: number;
  webhook_rate_limit: number;
  /** Within which a request has to have arrived, a third of it for its headers; an answer is given up when unread for half of it. */
  request_seconds: number;
  /** Days after which feed events are forgotten. What they are about stays. */
  event_days: number;
  /** Days after which chat is forgotten; 0 keeps it for ever. */
  chat_days: number;
  /** Days after which mail is forgotten; 0 keeps it for ever. */
  mail_days: number;
  /** For how long a worker has a task unless it says that it still works on it. */
  task_lease_seconds: number;
  /** For how long a task waits until it counts as much as one of the next higher priority. */
  task_ageing_seconds: number;
  /** Days after which tasks that are over are forgotten; 0 keeps them for ever. */
  task_days: number;
  /** With more open questions than this a workflow pauses. */
  pause_threshold: number;
  /** The phases before which it pauses for open questions; all of them if empty. */
  pause_phases: readonly string[];
  /** Said in a text, it pauses at once. */
  pause_phrase: string;
  /** The spaces in which a question that nobody answered goes on with its default; `*` for all. */
  question_defaults: readonly string[];
  /** Days after which questions that are over are forgotten; 0 keeps them for ever. */
  question_days: number;
  /** Whether whoever sits at an agent's own client may answer its questions in a form there. */
  question_forms: boolean;
  /** Subscriptions to notifications by name that a space has at most on this node. */
  space_subscriptions: number;
  /** Where files are written that wake who watches them. */
  wake_dir: string;
  /** The key that secrets are sealed with: the same on all nodes. */
  secret_key_file: string;
  /** Days for which the audit is kept, 0 for as long as there is room; and how much of it at most. */
  audit_days: number;
  audit_mb: number;
  /** Where the archives of spaces that ended are written; undefined for nowhere. */
  archive_dir: string | undefined;
  /** Days after which an archive is removed; 0 keeps it for ever. */
  archive_days: number;
  /** For how long a node is taken to be there after it was last heard of: then others go on with what it ran. */
  node_lease_seconds: number;
  /** What this machine is called among nodes. */
  machine: string;
  /** What programs that the hub starts have of its own environment. */
  run_env: Readonly<Record<string, string>>;
  /** The keys of models' endpoints, by the names of their variables: for agents that the hub itself runs. */
  model_keys: Readonly<Record<string, string | undefined>>;
  log_level: LogLevel;
  /** The folder of the built web app. */
  web: string;
  /** What starts `parley`. */
  launcher: string;
  /** What is typed on this machine to reach this hub. */
  typed: Typed;
}

/** A command line: the program, then the command, then where the hub is. */
export interface Typed {
  program: string;
  /** Such as `--home /srv/parley`; empty for the usual folder. */
  place: string;
}

export const LOG_LEVELS = ["debug", "info", "warn", "error", "silent"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

interface Setting {
  variable: string;
  default: string;
  description: string;
}

/** What the environment may say, and the reference lists. */
export const SETTINGS = {
  home: { variable: "PARLEY_HOME", default: "~/.parley", description: "The data folder." },
  host: {
    variable: "PARLEY_HOST",
    default: "127.0.0.1",
    description: "The address to listen on. A data folder remembers it.",
  },
  port: {
    variable: "PARLEY_PORT",
    default: "8765",
    description: "The port to listen on; 0 takes a free one. A data folder remembers it.",
  },
  database_url: {
    variable: "PARLEY_DATABASE_URL",
    default: "",
    description:
      "`postgres://…` for several nodes; SQLite in the data folder without it. A data folder remembers which, but no password.",
  },
  allowed_hosts: {
    variable: "PARLEY_ALLOWED_HOSTS",
    default: "",
    description: "Further names under which the hub is reached, separated by commas.",
  },
  insecure: {
    variable: "PARLEY_INSECURE",
    default: "",
    description: "`1` lets the hub listen beyond this machine without TLS of its own.",
  },
  rate_limit: {
    variable: "PARLEY_RATE_LIMIT",
    default: "500",
    description: "Calls a second one principal may make for long; ten times as many at once.",
  },
  rate_limit_kb: {
    variable: "PARLEY_RATE_LIMIT_KB",
    default: "1024",
    description:
      "Kilobytes a second one principal may send for long, by the bodies of its requests; ten times as many at once.",
  },
  webhook_rate_limit: {
    variable: "PARLEY_WEBHOOK_RATE_LIMIT",
    default: "50",
    description:
      "Deliveries a second that one webhook takes for long, ten times as many at once; from one address half of that. A body counts as one more for each 16 KiB.",
  },
  request_seconds: {
    variable: "PARLEY_REQUEST_SECONDS",
    default: "60",
    description:
      "Seconds within which a request has to have arrived, its headers within a third of that. An answer of which nothing is read for half of that is given up.",
  },
  event_days: {
    variable: "PARLEY_EVENT_DAYS",
    default: "30",
    description: "Days after which feed events are forgotten. What they are about stays.",
  },
  chat_days: {
    variable: "PARLEY_CHAT_DAYS",
    default: "0",
    description: "Days after which chat messages are forgotten; 0 keeps them for ever.",
  },
  mail_days: {
    variable: "PARLEY_MAIL_DAYS",
    default: "0",
    description: "Days after which mail is forgotten; 0 keeps it for ever. Trash goes after 30 days.",
  },
  task_lease_seconds: {
    variable: "PARLEY_TASK_LEASE_SECONDS",
    default: "60",
    description: "Seconds for which a worker has a task unless it says that it still works on it.",
  },
  task_ageing_seconds: {
    variable: "PARLEY_TASK_AGEING_SECONDS",
    default: "60",
    description: "Seconds of waiting that count as much as one step of priority.",
  },
  task_days: {
    variable: "PARLEY_TASK_DAYS",
    default: "90",
    description: "Days after which tasks that are over are forgotten; 0 keeps them for ever.",
  },
  pause_threshold: {
    variable: "PARLEY_PAUSE_THRESHOLD",
    default: "3",
    description: "With more open questions than this a workflow pauses.",
  },
  pause_phases: {
    variable: "PARLEY_PAUSE_PHASES",
    default: "",
    description: "The phases before which a workflow pauses for open questions, separated by commas; all without it.",
  },
  pause_phrase: {
    variable: "PARLEY_PAUSE_PHRASE",
    default: "need human input to continue",
    description: "A workflow whose output says this pauses at once.",
  },
  question_defaults: {
    variable: "PARLEY_QUESTION_DEFAULTS",
    default: "",
    description:
      "The spaces in which a question that nobody answered in time goes on with the default its asker gave, separated by commas; `*` for all.",
  },
  question_days: {
    variable: "PARLEY_QUESTION_DAYS",
    default: "90",
    description: "Days after which questions that are over are forgotten; 0 keeps them for ever.",
  },
  question_forms: {
    variable: "PARLEY_QUESTION_FORMS",
    default: "1",
    description: "`0` shows the questions of an agent in no form of its own client, where nobody can tell who answers.",
  },
  space_subscriptions: {
    variable: "PARLEY_SPACE_SUBSCRIPTIONS",
    default: "10",
    description: "Subscriptions to `scratchpad/…` notifications that a space has at most on a node.",
  },
  wake_dir: {
    variable: "PARLEY_WAKE_DIR",
    default: "",
    description: "Where `.wake` files are written for who watches them; `wake` in the data folder without it.",
  },
  secret_key_file: {
    variable: "PARLEY_SECRET_KEY_FILE",
    default: "",
    description:
      "The file with the key that webhook secrets are sealed with; `secret.key` in the data folder without it. All nodes of a database need the same one.",
  },
  audit_days: {
    variable: "PARLEY_AUDIT_DAYS",
    default: "90",
    description: "Days for which the audit is kept; 0 keeps it for as long as there is room.",
  },
  audit_mb: {
    variable: "PARLEY_AUDIT_MB",
    default: "256",
    description: "Megabytes of audit that are kept at most, the newest.",
  },
  archive_dir: {
    variable: "PARLEY_ARCHIVE_DIR",
    default: "",
    description:
      "Where what a space held is written before it is removed; `archives` in the data folder without it, `off` for nowhere. They hold messages.",
  },
  archive_days: {
    variable: "PARLEY_ARCHIVE_DAYS",
    default: "30",
    description: "Days after which the archive of a space is removed; 0 keeps it for ever.",
  },
  node_lease_seconds: {
    variable: "PARLEY_NODE_LEASE_SECONDS",
    default: "20",
    description:
      "Seconds for which a node is taken to be there after it was last heard of; then others go on with what it ran.",
  },
  machine: {
    variable: "PARLEY_MACHINE",
    default: "",
    description:
      "What this machine is called among nodes: the sessions of agents stay on theirs. Its host name without it.",
  },
  log_level: { variable: "PARLEY_LOG", default: "info", description: `One of ${LOG_LEVELS.join(", ")}.` },
} as const satisfies Record<string, Setting>;

export interface Overrides {
  home?: string | undefined;
  host?: string | undefined;
  port?: number | undefined;
  database_url?: string | undefined;
  database_url_file?: string | undefined;
  /** The folder gets this database, though it had another. */
  switch_database?: boolean | undefined;
  insecure?: boolean | undefined;
  typed?: Typed | undefined;
}

/** What a program needs to find its way about, and no secret. */
const INHERITED = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "TMPDIR"];

/** Flags first, then the environment, then what the data folder remembers, then the defaults. */
export function readConfig(flags: Overrides = {}, env: NodeJS.ProcessEnv = process.env): Config {
  const text = (name: keyof typeof SETTINGS): string => env[SETTINGS[name].variable] || SETTINGS[name].default;
  const home = resolve((flags.home ?? text("home")).replace(/^~(?=$|\/)/, homedir()));
  const before = remembered(home);
  const port = env[SETTINGS.port.variable] || String(before?.port ?? SETTINGS.port.default);
  return {
    home,
    host: flags.host ?? (env[SETTINGS.host.variable] || (before?.host ?? SETTINGS.host.default)),
    port: flags.port ?? number("port", port, 0, 65_535),
    ...chooseDatabase({
      home,
      before,
      // A file that was typed wins over a URL of the environment.
      database_url: flags.database_url ?? (flags.database_url_file ? undefined : text("database_url") || undefined),
      database_url_file: flags.database_url_file,
      switching: flags.switch_database ?? false,
    }),
    allowed_hosts: listOf(text("allowed_hosts")),
    insecure: flags.insecure ?? text("insecure") === "1",
    rate_limit: number("rate_limit", text("rate_limit"), 1, 1_000_000),
    rate_limit_kb: number("rate_limit_kb", text("rate_limit_kb"), 1, 100_000_000),
    webhook_rate_limit: number("webhook_rate_limit", text("webhook_rate_limit"), 1, 1_000_000),
    request_seconds: number("request_seconds", text("request_seconds"), 1, 3600),
    event_days: number("event_days", text("event_days"), 1, 36_500),
    chat_days: number("chat_days", text("chat_days"), 0, 36_500),
    mail_days: number("mail_days", text("mail_days"), 0, 36_500),
    task_lease_seconds: number("task_lease_seconds", text("task_lease_seconds"), 1, 86_400),
    task_ageing_seconds: number("task_ageing_seconds", text("task_ageing_seconds"), 1, 86_400),
    task_days: number("task_days", text("task_days"), 0, 36_500),
    pause_threshold: number("pause_threshold", text("pause_threshold"), 0, 1000),
    pause_phases: listOf(text("pause_phases")),
    pause_phrase: text("pause_phrase"),
    question_defaults: listOf(text("question_defaults")),
    question_days: number("question_days", text("question_days"), 0, 36_500),
    question_forms: text("question_forms") !== "0",
    space_subscriptions: number("space_subscriptions", text("space_subscriptions"), 1, 100_000),
    wake_dir: resolve(text("wake_dir") || join(home, "wake")),
    secret_key_file: resolve(text("secret_key_file") || join(home, "secret.key")),
    audit_days: number("audit_days", text("audit_days"), 0, 36_500),
    audit_mb: number("audit_mb", text("audit_mb"), 1, 1_000_000),
    archive_dir: text("archive_dir") === "off" ? undefined : resolve(text("archive_dir") || join(home, "archives")),
    archive_days: number("archive_days", text("archive_days"), 0, 36_500),
    node_lease_seconds: number("node_lease_seconds", text("node_lease_seconds"), 1, 3600),
    machine: text("machine") || hostname(),
    model_keys: Object.fromEntries(Object.entries(env).filter(([name]) => name.endsWith("_API_KEY"))),
    run_env: Object.fromEntries(INHERITED.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]]))),
    log_level: logLevel(text("log_level")),
    web: fileURLToPath(new URL("../web/build", import.meta.url)),
    launcher: fileURLToPath(new URL("../bin/parley", import.meta.url)),
    typed: flags.typed ?? { program: "parley", place: "" },
  };
}

const listOf = (text: string): string[] =>
  text
    .split(",")
    .map((name) => name.trim())
    .filter(Boolean);

function remembered(home: string): FolderSettings | undefined {
  try {
    return readSettings(home);
  } catch (error) {
    throw new StartRefused(`What ${home} remembers of its hub cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

function number(name: keyof typeof SETTINGS, text: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new StartRefused(
    `${SETTINGS[name].variable} is ${JSON.stringify(text)}, not a number from ${least} to ${most}.`,
  );
}

function logLevel(text: string): LogLevel {
  const level = LOG_LEVELS.find((known) => known === text);
  if (level) return level;
  throw new StartRefused(`${SETTINGS.log_level.variable} is ${JSON.stringify(text)}, not ${LOG_LEVELS.join(", ")}.`);
}
