/**
 * Who the command line acts as, remembered in the data folder: tokens of agents, which session is which agent, and the
 * default of a project. Whoever could write these files, or have us follow a link, would decide who we are: each is
 * ours alone, a file and no link, and appears whole or not at all.
 */
import { codeOf, isMissing, makeFolder, replaceFile, sha256 } from "../../local/files.ts";
import { isForeign } from "../../local/rights.ts";
import { Failure, invalid } from "./failure.ts";
import { jsonIn } from "./io.ts";

/** `agents/<space>/<name>.json` */
export interface AgentFile {
  agent: string;
  token: string;
  space: string;
  /** The session it was made for; null for one that a person acts as. */
  client_session_id: string | null;
}

/** `sessions/<space and session>.json` */
export interface SessionFile {
  client_session_id: string;
  agent: string;
  space: string;
  project: string;
  branch: string | null;
  client: string | null;
  created_at: string;
  last_active_at: string;
}

/** `projects/<space and path>.json` */
export interface ProjectFile {
  project: string;
  agent: string;
  space: string;
}

/** `tokens/<hash>.json`: what the hub said about a token that was given, so that it need not be asked each time. */
export interface TokenFile {
  agent: string | null;
  roles: string[];
  space: string;
  checked_at: string;
}

/** `roles/<space, role and name>.json`: the token of a worker or a trigger of the task queue. */
export interface RoleFile {
  role: string;
  name: string;
  token: string;
  space: string;
}

/** `handovers/<space and process, or session>.json`: whom the next session of a client goes on as. */
export interface HandoverFile {
  client_session_id: string;
  agent: string;
  space: string;
}

const MOST_BYTES = 64 * 1024;

export class IdentityFiles {
  readonly #home: string;
  readonly #root: string;
  readonly space: string;

  /** A token is for the hub that made it: those of a hub elsewhere lie apart. */
  constructor({ home, origin, space }: { home: string; origin: string | undefined; space: string }) {
    this.#home = home;
    this.#root = origin === undefined ? "identities" : `identities/hubs/${fileName(origin)}`;
    this.space = space;
  }

  readonly agent = (name: string) => parsed<AgentFile>(this.#whole(this.#agentPath(name)), ["agent", "token"]);
  readonly session = (id: string) => this.#read<SessionFile>("sessions", id, ["client_session_id", "agent"]);
  readonly project = (path: string) => this.#read<ProjectFile>("projects", path, ["project", "agent"]);
  readonly token = (secret: string) => this.#read<TokenFile>("tokens", sha256(secret), ["checked_at"]);
  readonly role = (role: string, name: string) => this.#read<RoleFile>("roles", `${role}\n${name}`, ["role", "token"]);
  readonly handover = (next: string) => this.#read<HandoverFile>("handovers", next, ["client_session_id", "agent"]);

  /** What it says each time it is asked, for who asks before each of many requests. */
  readonly agentAsItIs = (name: string) => asItIs<AgentFile>(this.#whole(this.#agentPath(name)), ["agent", "token"]);
  readonly roleAsItIs = (role: string, name: string) =>
    asItIs<RoleFile>(this.#whole(this.#path("roles", `${role}\n${name}`)), ["role", "token"]);

  readonly saveAgent = (file: AgentFile) => this.#write(this.#agentPath(file.agent), file);
  readonly saveSession = (file: SessionFile) => this.#write(this.#path("sessions", file.client_session_id), file);
  readonly saveProject = (file: ProjectFile) => this.#write(this.#path("projects", file.project), file);
  readonly saveToken = (secret: string, file: TokenFile) => this.#write(this.#path("tokens", sha256(secret)), file);
  readonly saveRole = (file: RoleFile) => this.#write(this.#path("roles", `${file.role}\n${file.name}`), file);
  readonly saveHandover = (next: string, file: HandoverFile) => this.#write(this.#path("handovers", next), file);

  readonly forgetAgent = (name: string) => this.#remove(this.#agentPath(name));
  readonly forgetHandover = (next: string) => this.#remove(this.#path("handovers", next));

  /** Held while the identity of one session, agent or role is being made. */
  lock(what: string): string {
    const path = `${this.#root}/locks/${this.#name(what)}.lock`;
    makeFolders(this.#home, path);
    return this.#whole(path);
  }

  #agentPath(name: string): string {
    // What comes from a command line must not lead out of the folder.
    if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/.test(name))
      throw invalid(`${JSON.stringify(name)} is not the name of an agent.`);
    return `${this.#root}/agents/${hashless(this.space)}/${name}.json`;
  }

  #path(kind: string, what: string): string {
    return `${this.#root}/${kind}/${this.#name(what)}.json`;
  }

  #whole(path: string): string {
    return `${this.#home}/${path}`;
  }

  #read<T extends { space: string }>(kind: string, what: string, needed: readonly (keyof T & string)[]): T | undefined {
    return parsed<T>(this.#whole(this.#path(kind, what)), needed);
  }

  #remove(path: string): void {
    process.getBuiltinModule("node:fs").rmSync(this.#whole(path), { force: true });
  }

  #write(path: string, value: object): void {
    makeFolders(this.#home, path);
    replaceFile(this.#whole(path), `${JSON.stringify(value)}\n`);
  }

  #name(what: string): string {
    return fileName(`${this.space}\n${what}`);
  }
}

/**
 * A name for a file, and no other's: also where names differ by their letters' case alone, and that counts for nothing.
 * What is long or unusual is hashed; nothing else is, since to load what hashes takes a hook longer than all of this.
 */
function fileName(text: string): string {
  const name = text.replace(/[^a-z0-9._-]/g, (each) => `%${each.charCodeAt(0).toString(16).padStart(2, "0")}`);
  return /^[\n\x20-\x7e]*$/.test(text) && name.length <= 200 ? name : sha256(text);
}

/** A space is named by letters, digits, dashes and underscores; anything else is answered by the hub. */
const hashless = (space: string): string => (/^[\w-]{1,80}$/.test(space) ? space : sha256(space));

/** Undefined where there is none, or half of one: then it is made again. */
function parsed<T extends { space: string }>(path: string, needed: readonly (keyof T & string)[]): T | undefined {
  const value = Object(jsonIn(read(path) ?? ""));
  // Written by us, and by nobody else: `read` saw to that.
  return ["space", ...needed].every((key) => typeof value[key] === "string") ? value : undefined;
}

/** Within so long of a change there may be another that the file's time does not tell. */
const FRESH_MS = 1000;

/** Reads it anew only where it is another file by now, or has changed: to read it takes longer than most that is asked. */
function asItIs<T extends { space: string }>(path: string, needed: readonly (keyof T & string)[]): () => T | undefined {
  let known: { stamp: string; value: T | undefined } | undefined;
  return () => {
    // Looked at before it is read: what comes in between is seen the next time.
    const stamp = stampOf(path);
    if (stamp !== undefined && stamp === known?.stamp) return known.value;
    const value = parsed<T>(path, needed);
    known = stamp === undefined ? undefined : { stamp, value };
    return value;
  };
}

/** Another one for whatever else is there. Undefined where that cannot be told. */
function stampOf(path: string): string | undefined {
  try {
    const { dev, ino, ctimeMs, size } = process.getBuiltinModule("node:fs").lstatSync(path);
    return Date.now() - ctimeMs > FRESH_MS ? `${dev} ${ino} ${ctimeMs} ${size}` : undefined;
  } catch {
    // Whoever reads it says what is wrong with it.
    return undefined;
  }
}

function read(path: string): string | undefined {
  const { closeSync, constants, fstatSync, openSync, readFileSync } = process.getBuiltinModule("node:fs");
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (codeOf(error) === "ELOOP") throw unsafe(path, "is a link, and links are not followed here", error);
    throw unsafe(path, `cannot be read (${codeOf(error)})`, error);
  }
  try {
    const { mode, uid, size } = fstatSync(file);
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw unsafe(path, "is not a file");
    if (isForeign(uid)) throw unsafe(path, "belongs to another user");
    if (mode & 0o077) throw unsafe(path, "can be read or changed by other users");
    if (size > MOST_BYTES) throw unsafe(path, "is too large to be ours");
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

/** Those between the data folder and the file. The data folder may be a link, as its owner likes; none of these. */
function makeFolders(home: string, path: string): void {
  const { lstatSync } = process.getBuiltinModule("node:fs");
  makeFolder(home);
  const parts = path.split("/").slice(0, -1);
  for (const [at] of parts.entries()) {
    const folder = [home, ...parts.slice(0, at + 1)].join("/");
    if (!lstatSync(folder, { throwIfNoEntry: false })) makeFolder(folder);
    refuseNoFolder(folder);
  }
}

function refuseNoFolder(path: string): void {
  const stat = process.getBuiltinModule("node:fs").lstatSync(path);
  if (!stat.isDirectory()) throw unsafe(path, "is not a folder");
  if (isForeign(stat.uid)) throw unsafe(path, "belongs to another user");
}

const unsafe = (path: string, why: string, cause?: unknown): Failure =>
  new Failure(
    "NO_IDENTITY",
    `${path} ${why}. It says who you are, so it has to be yours alone: remove it and try again.`,
    { cause },
  );
