/** What of the resources of mounted servers a runtime has to do with. */
import type { ReadAt, ResourcePage } from "./compositor/server.ts";
import type { ToolResult } from "./toolset.ts";

export interface ResourcePlace {
  server: string;
  uri: string;
}

export interface Followed extends ResourcePlace {
  present: boolean;
  active: boolean;
  /** Why it is not followed just now. */
  last_error: string | null;
}

/** The server does not say when something changes. */
export class Unsupported extends Error {
  override readonly name = "Unsupported";
}

export interface ResourceHost {
  /** The servers that are there and have any. */
  servers(): { server: string; can_follow: boolean }[];
  /** Which server it is that is mounted under this name. */
  mountOf(server: string): string | undefined;
  list(server: string, cursor: string | undefined, signal: AbortSignal): Promise<ResourcePage>;
  read(at: ResourcePlace & ReadAt, signal: AbortSignal): Promise<ToolResult>;
  /** Throws `Unsupported`, or with what the server has against it. */
  follow(place: ResourcePlace, signal: AbortSignal): Promise<void>;
  unfollow(place: ResourcePlace, signal: AbortSignal): Promise<void>;
  /** Is followed from now on, as soon as its server is there. */
  restore(places: readonly ResourcePlace[]): void;
  followed(): Followed[];
}
