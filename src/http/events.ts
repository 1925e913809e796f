import type { Actor } from "../context.ts";
import { ParleyError } from "../errors.ts";
import { header } from "../header.ts";
import type { Hub } from "../hub.ts";
import type { Topic } from "../module.ts";
import { Follower } from "./follower.ts";
import type { Outlets } from "./outlet.ts";
import type { Route } from "./router.ts";

const MOST_STREAMS_OF_ONE = 1000;

/** What a follower wants of a topic: some of its streams, or with null all of them. */
export interface Wanted {
  topic: Topic;
  streams: readonly string[] | null;
  /** Whose, where somebody was named. */
  agent?: string | undefined;
}

/** `GET /events?topics=chat`: what happens, as server-sent events, from where the reader left off. */
export function eventRoutes(hub: Hub, outlets: Outlets): Route[] {
  return [
    {
      method: "GET",
      path: "/events",
      about: {
        summary: "Follow what happens, as server-sent events from where Last-Event-ID says",
        query: {
          topics: `Which topics, separated by commas: ${topicsOfAll(hub)
            .map(({ name }) => name)
            .join(", ")}.`,
          agent: "Whose, where a topic belongs to an agent; your own if left out.",
          after: "The last id you have dealt with, for clients that cannot send Last-Event-ID.",
        },
        media: "text/event-stream",
      },
      handle: async ({ request, response, query }, actor) => {
        hub.limit.take(actor.principal_id);
        checkStreams(hub, actor);
        const wanted = await topicsOf(hub, actor, query);
        const after = header(request, "last-event-id") ?? query.get("after") ?? undefined;
        await new Follower(hub, { actor, wanted }).start({ response, outlets, after });
      },
    },
  ];
}

export function checkStreams({ streams }: Hub, actor: Actor): void {
  if (streams.countOf(actor) >= MOST_STREAMS_OF_ONE)
    throw new ParleyError("TOO_MANY_SUBSCRIPTIONS", `One principal has at most ${MOST_STREAMS_OF_ONE} open streams.`);
}

const topicsOfAll = ({ modules }: Hub): Topic[] => modules.flatMap(({ topics = [] }) => topics);

async function topicsOf(hub: Hub, actor: Actor, query: URLSearchParams): Promise<Map<string, Wanted>> {
  const agent = query.get("agent") ?? undefined;
  const known = topicsOfAll(hub);
  const wanted = new Map<string, Wanted>();
  for (const name of (query.get("topics") ?? "").split(",").filter(Boolean)) {
    const topic = known.find((topic) => topic.name === name);
    if (!topic) throw new ParleyError("INVALID_ARGUMENT", `There is no topic ${JSON.stringify(name.slice(0, 80))}.`);
    const ctx = hub.ctx(actor);
    wanted.set(name, { topic, streams: await topic.streams(ctx, agent), agent });
    await hub.checkReads(ctx, topic.given_by, agent === undefined ? {} : { agent });
  }
  if (wanted.size > 0) return wanted;
  const all = known.map(({ name }) => name).join(", ");
  throw new ParleyError("INVALID_ARGUMENT", `Say what to follow: topics=NAME,… Known topics: ${all}.`);
}
