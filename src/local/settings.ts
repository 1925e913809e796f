/**
 * What a data folder remembers of its hub, in `hub-settings.json`: where it listens and which database it has. Whoever
 * starts a hub there without saying otherwise starts that one. No password is kept.
 */
import { isMissing } from "./files.ts";
import { readOwn } from "./rights.ts";

const { join } = process.getBuiltinModule("node:path");

export const SETTINGS_FILE = "hub-settings.json";

export interface FolderSettings {
  host: string;
  /** 0 takes a free one each time. */
  port: number;
  database: "sqlite" | PostgresSetting;
}

export interface PostgresSetting {
  /** Its URL, without a password. */
  postgres: string;
  /** Whether it had one. */
  password: boolean;
  /** The file that the URL was read from. */
  url_file?: string | undefined;
}

/**
 * Undefined where no hub has run yet, or only one that left no such file. Throws where it is damaged: which database the
 * folder has is not known then, and to guess would be to start an empty one.
 */
export function readSettings(home: string): FolderSettings | undefined {
  let text: string;
  try {
    text = readOwn(join(home, SETTINGS_FILE));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  return parsed(text);
}

export function settingsOf(config: {
  host: string;
  port: number;
  database_url: string | undefined;
  database_url_file?: string | undefined;
}): FolderSettings {
  const { host, port, database_url, database_url_file } = config;
  if (!database_url) return { host, port, database: "sqlite" };
  const { url, password } = withoutPassword(database_url);
  const url_file = database_url_file && { url_file: database_url_file };
  return { host, port, database: { postgres: url, password: password !== undefined, ...url_file } };
}

/** A password stands before the host, or among the parameters. */
export function withoutPassword(database_url: string): { url: string; password: string | undefined } {
  if (!URL.canParse(database_url)) return { url: database_url, password: undefined };
  const url = new URL(database_url);
  const password = url.password || url.searchParams.get("password") || undefined;
  url.password = "";
  url.searchParams.delete("password");
  return { url: url.href, password };
}

function parsed(text: string): FolderSettings {
  const { host, port, database } = fieldsOf(text);
  const known = database === "sqlite" || typeof database?.postgres === "string";
  if (typeof host === "string" && Number.isSafeInteger(port) && known) return { host, port, database };
  throw new Error(
    `${SETTINGS_FILE} is damaged. Remove it, and run parley serve with the port and the database that the folder had`,
  );
}

function fieldsOf(text: string) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    // No hub writes such a thing.
    return {};
  }
}
