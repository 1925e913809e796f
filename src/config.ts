import { homedir } from "node:os";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { StartRefused } from "./errors.ts";

/** How a hub is to run. The only reader of the environment; see docs/reference/config.md. */
export interface Config {
  home: string;
  host: string;
  port: number;
  database_url: string | undefined;
  /** Other names under which browsers and clients may reach it, as `host` or `host:port`. */
  allowed_hosts: readonly string[];
  /** Listen beyond this machine without TLS: somebody else encrypts. */
  insecure: boolean;
  /** Calls a second that one principal may make for long; ten times that at once. */
  rate_limit: number;
  /** Within which a request has to have arrived, and a third of it for its headers. */
  request_seconds: number;
  /** Days after which feed events are forgotten. What they are about stays. */
  event_days: number;
  /** Days after which chat is forgotten; 0 keeps it for ever. */
  chat_days: number;
  /** Days after which mail is forgotten; 0 keeps it for ever. */
  mail_days: number;
  log_level: LogLevel;
  /** The folder of the built web app. */
  web: string;
  /** Adds the fixtures of the official MCP conformance suite. */
  conformance: boolean;
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
  host: { variable: "PARLEY_HOST", default: "127.0.0.1", description: "The address to listen on." },
  port: { variable: "PARLEY_PORT", default: "8765", description: "The port to listen on; 0 takes a free one." },
  database_url: {
    variable: "PARLEY_DATABASE_URL",
    default: "",
    description: "`postgres://…` for several nodes; SQLite in the data folder without it.",
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
  request_seconds: {
    variable: "PARLEY_REQUEST_SECONDS",
    default: "60",
    description: "Seconds within which a request has to have arrived; its headers within a third of that.",
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
  log_level: { variable: "PARLEY_LOG", default: "info", description: `One of ${LOG_LEVELS.join(", ")}.` },
} as const satisfies Record<string, Setting>;

export interface Overrides {
  home?: string | undefined;
  host?: string | undefined;
  port?: number | undefined;
  database_url?: string | undefined;
  insecure?: boolean | undefined;
  conformance?: boolean | undefined;
}

/** Flags first, then the environment, then the defaults. */
export function readConfig(flags: Overrides = {}, env: NodeJS.ProcessEnv = process.env): Config {
  const text = (name: keyof typeof SETTINGS): string => env[SETTINGS[name].variable] || SETTINGS[name].default;
  return {
    home: resolve((flags.home ?? text("home")).replace(/^~(?=$|\/)/, homedir())),
    host: flags.host ?? text("host"),
    port: flags.port ?? number("port", text("port"), 0, 65_535),
    database_url: flags.database_url ?? (text("database_url") || undefined),
    allowed_hosts: text("allowed_hosts")
      .split(",")
      .map((name) => name.trim())
      .filter(Boolean),
    insecure: flags.insecure ?? text("insecure") === "1",
    rate_limit: number("rate_limit", text("rate_limit"), 1, 1_000_000),
    request_seconds: number("request_seconds", text("request_seconds"), 1, 3600),
    event_days: number("event_days", text("event_days"), 1, 36_500),
    chat_days: number("chat_days", text("chat_days"), 0, 36_500),
    mail_days: number("mail_days", text("mail_days"), 0, 36_500),
    log_level: logLevel(text("log_level")),
    web: fileURLToPath(new URL("../web/build", import.meta.url)),
    conformance: flags.conformance ?? false,
  };
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
