import type { Ctx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { defineGlance, type GlanceProvider } from "../../../module.ts";
import type { Watch } from "../../../resource.ts";
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

export const readPart = (ctx: Ctx, part = ""): Promise<object> => resourceOf(ctx, part).read(ctx, false);

export const watchPart = (ctx: Ctx, part = ""): Promise<Watch> => resourceOf(ctx, part).watch(ctx);

function resourceOf({ glances }: Ctx, part: string): GlanceProvider {
  const found = glances.find((provider) => provider.part === part);
  if (!found) throw new ParleyError("UNKNOWN_RESOURCE", `There is no resource ui://glance/${part}.`);
  return found;
}

function partOf({ glances }: Ctx, part: string | undefined): GlanceProvider {
  const found = glances.find((provider) => provider.part === part);
  if (found) return found;
  const known = glances.map((provider) => provider.part).join(", ");
  throw new ParleyError("INVALID_ARGUMENT", `There is no part ${JSON.stringify(part)}. There are: ${known}.`);
}

// One function for all who watch: a door works out once what everybody with the same one is told.
const changed: Watch["hint"] = () => ({});

export const agentsGlance = defineGlance({
  part: "agents",
  read: (ctx) => list(ctx, { all: false }),
  watch: async (ctx) => ({ places: doingPlaces(ctx), hint: changed }),
});
