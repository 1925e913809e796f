import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { defineGlance, type GlanceProvider } from "../../../module.ts";
import { type FeedPlace, hintOf, isAt, type Watch } from "../../../resource.ts";
import type { GlanceAt } from "../schema.ts";
import { doingPlaces } from "./doing.ts";
import { list } from "./presence.ts";

/** The parts that were asked for, of whichever modules they are: all of them at one go. */
export async function glance(ctx: Ctx, { parts, full }: GlanceAt): Promise<{ parts: Record<string, object> }> {
  const wanted = parts === undefined ? ctx.glances : parts.map((part) => partOf(ctx, part));
  const read = async (provider: GlanceProvider) =>
    [provider.part, await provider.read(ctx, full.includes(provider.part))] as const;
  return { parts: Object.fromEntries(await Promise.all(wanted.map(read))) };
}

export const glanceAtAll = async (ctx: Ctx): Promise<object> => (await glance(ctx, { full: [] })).parts;

/** One hint for each event, which says what of each part it is about: whoever is told reads them at one go. */
export async function watchGlance(ctx: Ctx): Promise<Watch> {
  const watched = await Promise.all(ctx.glances.map(async ({ part, watch }) => ({ part, ...(await watch(ctx)) })));
  return {
    places: distinct(watched.flatMap(({ places }) => places)),
    hint: (event) => {
      const touched = watched.filter(({ places }) => places.some((place) => isAt(place, event)));
      const told = touched.map((watch) => [watch.part, hintOf(watch, event)] as const);
      const reasons = told.filter(([, about]) => about !== null);
      return reasons.length === 0 ? null : { parts: Object.fromEntries(reasons) };
    },
  };
}

/** Each once, or an event would be told twice; of whichever types, since others may wait there for others. */
function distinct(places: readonly FeedPlace[]): FeedPlace[] {
  const whole = new Set(places.filter(({ stream }) => stream === undefined).map(({ topic }) => topic));
  const parts = places.filter(({ topic, stream }) => stream !== undefined && !whole.has(topic));
  const streams = new Map(parts.map(({ types: _, ...place }) => [`${place.topic} ${place.stream}`, place]));
  return [...[...whole].map((topic) => ({ topic })), ...streams.values()];
}

function partOf({ glances }: Ctx, part: string): GlanceProvider {
  const found = glances.find((provider) => provider.part === part);
  if (found) return found;
  const known = glances.map((provider) => provider.part).join(", ");
  throw new ParleyError("INVALID_ARGUMENT", `There is no part ${JSON.stringify(part)}. There are: ${known}.`);
}

export const agentsGlance = defineGlance({
  part: "agents",
  read: (ctx) => list(ctx, { all: false }),
  watch: async (ctx) => ({ places: doingPlaces(ctx) }),
});
