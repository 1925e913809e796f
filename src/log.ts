import { LOG_LEVELS, type LogLevel } from "./config.ts";

type Fields = Record<string, unknown>;

export interface Log {
  debug(msg: string, fields?: Fields): void;
  info(msg: string, fields?: Fields): void;
  warn(msg: string, fields?: Fields): void;
  error(msg: string, fields?: Fields): void;
}

/** JSON lines on stderr: stdout belongs to MCP over stdio. `msg` is constant, what varies is a field. */
export function createLog(least: LogLevel, write: (line: string) => void = (line) => process.stderr.write(line)): Log {
  const floor = LOG_LEVELS.indexOf(least);
  const at =
    (level: Exclude<LogLevel, "silent">) =>
    (msg: string, fields: Fields = {}): void => {
      if (LOG_LEVELS.indexOf(level) < floor) return;
      write(`${redact(written({ ts: new Date().toISOString(), level, msg, ...fields }))}\n`);
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

const SECRETS = /^(authorization|cookie|set-cookie|token|secret|password|.*_(token|secret|password))$/i;

/** An error has no enumerable fields; without this it would be logged as `{}`. */
function plain(key: string, value: unknown): unknown {
  if (SECRETS.test(key)) return "[redacted]";
  if (!(value instanceof Error)) return value;
  const { name, message, stack, cause } = value;
  return { name, message, stack, ...("code" in value && { code: value.code }), ...(cause !== undefined && { cause }) };
}

/** Whatever happens to be logged, a secret is not. */
export const redact = (text: string): string =>
  text
    .replace(/(parley|whsec)_[A-Za-z0-9]{8,}/g, "$1_[redacted]")
    .replace(/(Bearer )[^\s"\\]+/gi, "$1[redacted]")
    .replace(/(postgres(?:ql)?:\/\/[^:/@\s"]*:)[^@\s"]+@/g, "$1[redacted]@");
