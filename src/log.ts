import { LOG_LEVELS, type LogLevel } from "./config.ts";
import { failureId } from "./errors.ts";

type Fields = Record<string, unknown>;

export interface Log {
  debug(msg: string, fields?: Fields): void;
  info(msg: string, fields?: Fields): void;
  warn(msg: string, fields?: Fields): void;
  error(msg: string, fields?: Fields): void;
}

interface Out {
  write: (line: string) => void;
  /** For somebody who is watching. */
  pretty: boolean;
}

const STDERR: Out = { write: (line) => process.stderr.write(line), pretty: process.stderr.isTTY === true };

/** JSON lines on stderr: stdout belongs to MCP over stdio. `msg` is constant, what varies is a field. */
export function createLog(least: LogLevel, { write, pretty }: Out = STDERR): Log {
  const floor = LOG_LEVELS.indexOf(least);
  const at =
    (level: Exclude<LogLevel, "silent">) =>
    (msg: string, fields: Fields = {}): void => {
      if (LOG_LEVELS.indexOf(level) < floor) return;
      const line = written({ ts: new Date().toISOString(), level, msg, ...fields });
      write(`${redact(pretty ? readable(line) : line)}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** What cannot be written down must not take the line with it, and least of all the request it is about. */
function written(line: Fields): string {
  try {
    return JSON.stringify(line, plain);
  } catch (error) {
    const { ts, level, msg } = line;
    return JSON.stringify({ ts, level, msg, unwritable: String(error) });
  }
}

/** Time, level, message and then the fields, of which every control character is still escaped as JSON has it. */
function readable(line: string): string {
  // Written just now, from an object with these three.
  const { ts, level, msg, ...fields } = JSON.parse(line) as Fields & { ts: string; level: string; msg: string };
  const rest = Object.entries(fields).map(([name, value]) => ` ${name}=${JSON.stringify(value)}`);
  return `${clock(new Date(ts))} ${level.padEnd(5)} ${msg}${rest.join("")}`;
}

/** By the clock of whoever sits at the terminal. */
const clock = (at: Date): string =>
  [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");

const SECRETS = /^(authorization|cookie|set-cookie|token|secret|password|.*_(token|secret|password))$/i;

/** An error has no enumerable fields; without this it would be logged as `{}`. */
function plain(key: string, value: unknown): unknown {
  if (SECRETS.test(key)) return "[redacted]";
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  const id = failureId(value);
  return {
    id,
    name,
    message,
    stack,
    ...("code" in value && { code: value.code }),
    ...(cause !== undefined && { cause }),
  };
}

/** Whatever happens to be logged, a secret is not. */
const redact = (text: string): string =>
  text
    .replace(/(parley|whsec)_[A-Za-z0-9]{8,}/g, "$1_[redacted]")
    .replace(/(Bearer )[^\s"\\]+/gi, "$1[redacted]")
    .replace(/(postgres(?:ql)?:\/\/[^:/@\s"]*:)[^@\s"]+@/g, "$1[redacted]@");
