import type { Followed, ResourceHost, ResourcePlace } from "../resources.ts";
import type { ToolResult } from "../toolset.ts";
import type { Mount } from "./mount.ts";
import type { ReadAt, ResourcePage, ServerResources } from "./server.ts";

/** What the mounted servers have to be read, and what of it is followed: also of one that is not there just now. */
export class MountedResources implements ResourceHost {
  readonly #mounts: ReadonlyMap<string, Mount>;
  readonly #wanted = new Map<string, Set<string>>();

  constructor(mounts: ReadonlyMap<string, Mount>) {
    this.#mounts = mounts;
  }

  wantedOf(server: string): string[] {
    return [...(this.#wanted.get(server) ?? [])];
  }

  servers(): { server: string; can_follow: boolean }[] {
    return [...this.#mounts.values()].flatMap(({ name: server, resources }) =>
      resources ? [{ server, can_follow: resources.can_follow }] : [],
    );
  }

  mountOf(server: string): string | undefined {
    return this.#mounts.get(server)?.fingerprint;
  }

  async list(server: string, cursor: string | undefined, signal: AbortSignal): Promise<ResourcePage> {
    return this.#of(server).list(cursor, signal);
  }

  async read({ server, ...at }: ResourcePlace & ReadAt, signal: AbortSignal): Promise<ToolResult> {
    return this.#of(server).read(at, signal);
  }

  async follow({ server, uri }: ResourcePlace, signal: AbortSignal): Promise<void> {
    this.#of(server);
    await this.#mounts.get(server)?.followed.add(uri, signal);
    this.#want({ server, uri });
  }

  async unfollow({ server, uri }: ResourcePlace, signal: AbortSignal): Promise<void> {
    this.#wanted.get(server)?.delete(uri);
    await this.#mounts.get(server)?.followed.remove(uri, signal);
  }

  restore(places: readonly ResourcePlace[]): void {
    for (const { server, uri } of places) {
      this.#want({ server, uri });
      this.#mounts.get(server)?.followed.want(uri);
    }
  }

  followed(): Followed[] {
    return [...this.#wanted].flatMap(([server, uris]) => {
      const mount = this.#mounts.get(server);
      if (mount) return mount.followed.all;
      const last_error = `${server} is not mounted.`;
      return [...uris].map((uri) => ({ server, uri, present: false, active: false, last_error }));
    });
  }

  #want({ server, uri }: ResourcePlace): void {
    this.#wanted.set(server, (this.#wanted.get(server) ?? new Set()).add(uri));
  }

  #of(server: string): ServerResources {
    const mount = this.#mounts.get(server);
    if (!mount) throw new Error("There is no such server. resources_list shows which there are.");
    if (mount.resources) return mount.resources;
    const { state, error } = mount.state;
    throw new Error(state === "running" ? "It has no resources." : `It is not there just now. ${error ?? ""}`);
  }
}
