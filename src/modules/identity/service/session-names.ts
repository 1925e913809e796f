/** What the agent of a new session is called where nobody says: after where it works, so that people know which it is. */
import type { TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import type { EnsureAgent } from "../schema.ts";
import * as store from "../store.ts";
import type { PrincipalRow } from "../tables.ts";
import { isReserved, skeletonOf } from "./look-alikes.ts";
import { newPrincipal } from "./names.ts";

/** A name has 40: what is left is for a number. */
const MOST_CHARACTERS = 33;
const MOST_NUMBER = 999_999;
const TRIES = 20;
/** What a detached head stands on is shown as git shortens it. */
const COMMIT = /^[0-9a-f]{40,64}$/;

type NamingHints = Pick<EnsureAgent, "suggested_name" | "project" | "branch">;

/** An agent called `webshop-main`, or `webshop-main-2` where that is taken, by a name that nobody has or had. */
export async function principalAt(ctx: TxCtx, place: NamingHints): Promise<PrincipalRow> {
  const base = slugOf(place);
  for (let tries = 0; tries < TRIES; tries += 1) {
    // Another space may be taking the same one just now.
    const made = await newPrincipal(ctx, { name: await freeName(ctx, base), kind: "agent" });
    if (made) return made;
  }
  throw new ParleyError("NAME_TAKEN", `Every name like ${base} was taken just now. Give one.`);
}

/** Lower case: names that differ in case alone are refused anyway. */
function slugOf({ suggested_name, project, branch }: NamingHints): string {
  const folder = project?.split(/[\\/]/).findLast((part) => part !== "");
  const where = COMMIT.test(branch ?? "") ? branch?.slice(0, 7) : branch;
  const text = suggested_name ?? [folder, folder && where].filter(Boolean).join("-");
  const slug = text
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9.]+/g, "-")
    .slice(0, MOST_CHARACTERS)
    .replace(/^[-.]+|[-.]+$/g, "");
  return slug === "" || isReserved(slug) ? ["agent", slug].filter(Boolean).join("-") : slug;
}

/** The first number that is free, found by doubling and halving: a busy branch has had thousands of sessions. */
async function freeName(ctx: TxCtx, base: string): Promise<string> {
  const name = (number: number): string => (number === 1 ? base : `${base}-${number}`);
  const isTaken = async (number: number): Promise<boolean> =>
    (await store.findLookAlike(ctx.tx, skeletonOf(name(number)))) !== undefined;
  let [taken, free] = [0, 1];
  while (free < MOST_NUMBER && (await isTaken(free))) [taken, free] = [free, free * 2];
  while (free - taken > 1) {
    const middle = Math.floor((taken + free) / 2);
    if (await isTaken(middle)) taken = middle;
    else free = middle;
  }
  return name(free);
}
