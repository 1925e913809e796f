import type { McpSubscription } from "@modelcontextprotocol/client";
import type { ToolResult } from "../toolset.ts";
import { type Asking, ask, discreetIn, heard, NotFollowed } from "./asking.ts";
import { contentsOf } from "./results.ts";
import type { ReadAt, ResourcePage, ServerResources } from "./server.ts";

/**
 * What a server of either era has to be read. What is followed there is one request each in the older era, and one stream
 * for all in the newer: that is opened anew before the one before it is closed, so that nothing falls in between.
 */
export class McpResources implements ServerResources {
  readonly #asking: Asking;
  readonly can_follow: boolean;
  readonly #uris = new Set<string>();
  #stream: McpSubscription | undefined;
  #last: Promise<unknown> = Promise.resolve();

  constructor(asking: Asking) {
    this.#asking = asking;
    this.can_follow = asking.client.getServerCapabilities()?.resources?.subscribe === true;
  }

  async list(cursor: string | undefined, signal: AbortSignal): Promise<ResourcePage> {
    const { client, mask } = this.#asking;
    const page = await heard(this.#asking, signal, async (limits) => {
      const given = cursor === undefined ? {} : { cursor };
      const page = await client.request({ method: "resources/list", params: given }, limits);
      // Those are few, and stand on the first page.
      const more = cursor === undefined ? await client.listResourceTemplates(undefined, limits).catch(none) : NONE;
      return {
        resources: page.resources.map(({ uri, name, description, mimeType }) => ({
          ...{ uri, name, description, mime_type: mimeType },
        })),
        templates: more.resourceTemplates.map(({ uriTemplate, name, description }) => ({
          ...{ uri_template: uriTemplate, name, description },
        })),
        next_cursor: page.nextCursor,
      };
    });
    return discreetIn(page, mask);
  }

  read({ uri, offset }: ReadAt, signal: AbortSignal): Promise<ToolResult> {
    const { client } = this.#asking;
    return ask(this.#asking, signal, async (limits) =>
      contentsOf(await client.readResource({ uri }, { ...limits, cacheMode: "refresh" }), offset),
    );
  }

  follow(uri: string, signal: AbortSignal): Promise<void> {
    return this.#inTurn(signal, async (limits) => {
      if (this.#isOlder) await this.#asking.client.subscribeResource({ uri }, limits);
      else await this.#listen([...new Set([...this.#uris, uri])], uri);
      this.#uris.add(uri);
    });
  }

  unfollow(uri: string, signal: AbortSignal): Promise<void> {
    return this.#inTurn(signal, async (limits) => {
      if (!this.#uris.has(uri)) return;
      if (this.#isOlder) await this.#asking.client.unsubscribeResource({ uri }, limits);
      else await this.#listen([...this.#uris].filter((one) => one !== uri));
      this.#uris.delete(uri);
    });
  }

  get #isOlder(): boolean {
    return this.#asking.client.getProtocolEra() !== "modern";
  }

  /** One change after the other: each stream has all that the one before it had. */
  #inTurn(signal: AbortSignal, work: Parameters<typeof heard<void>>[2]): Promise<void> {
    const mine = this.#last.then(() => heard(this.#asking, signal, work));
    this.#last = mine.catch(() => undefined);
    return mine;
  }

  async #listen(uris: readonly string[], asked?: string): Promise<void> {
    const { client, events, timeout } = this.#asking;
    const before = this.#stream;
    // Not by the signal of the call: the stream outlives it.
    const stream = uris.length > 0 ? await client.listen({ resourceSubscriptions: [...uris] }, { timeout }) : undefined;
    if (asked !== undefined && !stream?.honoredFilter.resourceSubscriptions?.includes(asked)) {
      await stream?.close();
      throw new NotFollowed(`It does not tell of changes of ${asked}: there is no such resource.`);
    }
    this.#stream = stream;
    void stream?.closed.then((how) => {
      if (how === "local" || this.#stream !== stream) return;
      this.#stream = undefined;
      this.#uris.clear();
      events.unfollowed("It ended the subscriptions.");
    });
    await before?.close();
  }
}

const NONE = { resourceTemplates: [] };
/** A server need not have any, and some say so by an error. */
const none = (): typeof NONE => NONE;
