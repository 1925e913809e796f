import type { ToolHint, ToolResult } from "../toolset.ts";

/** The built-in one, by which programs are run. */
export const EXEC_SERVER = "runtime";

/** The name under which every process of a server, and of what `exec` runs, carries whose it is. */
export const MOUNT_COOKIE = "PARLEY_MOUNT";

export interface RemoteTool {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
  /** What it says of it. */
  hints: readonly ToolHint[];
}

/** A page of what it has to be read. */
export interface ResourcePage {
  resources: { uri: string; name: string; description?: string | undefined; mime_type?: string | undefined }[];
  templates: { uri_template: string; name: string; description?: string | undefined }[];
  next_cursor?: string | undefined;
}

export interface ReadAt {
  uri: string;
  /** From which character of its texts on. */
  offset?: number | undefined;
}

/** What a server has to be read. Each throws where it has no answer. */
export interface ServerResources {
  /** Whether it tells of changes. */
  can_follow: boolean;
  list(cursor: string | undefined, signal: AbortSignal): Promise<ResourcePage>;
  read(at: ReadAt, signal: AbortSignal): Promise<ToolResult>;
  follow(uri: string, signal: AbortSignal): Promise<void>;
  unfollow(uri: string, signal: AbortSignal): Promise<void>;
}

/** What a server says by itself. */
export interface ServerEvents {
  toolsChanged: () => void;
  updated: (uri: string) => void;
  /** It no longer tells of changes, though it is there. */
  unfollowed: (why: string) => void;
  /** It is gone, and not by our will. */
  closed: (why: string) => void;
}

/** A server that is there. */
export interface Server {
  list(): Promise<RemoteTool[]>;
  /** What the tool has against it is a result; it throws where there is none. */
  call(tool: string, args: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult>;
  /** Undefined where it has none. */
  resources?: ServerResources | undefined;
  close(): Promise<void>;
}

export interface MountSpec {
  /** Another one is another server: it is mounted anew. */
  fingerprint: string;
  open: (events: ServerEvents, signal: AbortSignal) => Promise<Server>;
}
