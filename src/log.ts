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
      const line = { ts: new Date().toISOString(), level, msg, ...fields };
      write(`${redact(JSON.stringify(line, plain))}\n`);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** An error has no enumerable fields; without this it would be logged as `{}`. */
function plain(_key: string, value: unknown): unknown {
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
