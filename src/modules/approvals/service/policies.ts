import { type Ctx, type TxCtx, transact } from "../../../context.ts";
import type { Database } from "../../../db/database.ts";
import { ParleyError } from "../../../errors.ts";
import { parseId, timeOfId } from "../../../ids.ts";
import { FROM_THE_TOP, page } from "../../../pages.ts";
import type { GetPolicy, ListVersions, Policy, PolicyDocument, Risk, SetPolicy, VersionList } from "../schema.ts";
import * as store from "../store.ts";
import type { StatedApprovalRow } from "../tables.ts";
import { BUILT_IN } from "./built-in.ts";
import { checkedDocument, givenDocument } from "./checking.ts";
import { type Policy as Compiled, compile, evaluateOrFail } from "./evaluating.ts";
import { tellPolicy } from "./events.ts";
import { callOf, isoNow } from "./wire.ts";
import { documentWords } from "./words.ts";

/** While nobody has set one: everything is asked about. */
const FIRST: PolicyDocument = { rules: [], default: "ask" };
/** Spaces whose policy is kept ready. */
const MOST_READY = 1000;

/** Null where what is stored is no policy: then nothing is decided by it, and nothing runs. */
type Read = { document: PolicyDocument; policy: Compiled } | { document: null; policy: null };
type Ready = Read & { version: number; id: number };

const NONE: Ready = { version: 0, id: 0, document: FIRST, policy: compile(FIRST) };
const ready = new WeakMap<Database, Map<string, Ready>>();

/** What counts now, made ready once a version: what was set is what the next call is decided by, on whichever node. */
export async function current(ctx: Ctx): Promise<Ready> {
  const { space_id } = ctx.actor;
  const newest = await store.findNewest(ctx.db, space_id);
  if (!newest) return NONE;
  const known = ready.get(ctx.database) ?? new Map<string, Ready>();
  ready.set(ctx.database, known);
  const before = known.get(space_id);
  if (before?.id === newest.id && before.version === newest.version) return before;
  const made = { ...newest, ...(await readVersion(ctx, newest.version)) };
  const [oldest] = known.keys();
  if (oldest !== undefined && known.size >= MOST_READY) known.delete(oldest);
  known.set(space_id, made);
  return made;
}

async function readVersion(ctx: Ctx, version: number): Promise<Read> {
  const row = await store.findPolicy(ctx.db, { space_id: ctx.actor.space_id, version });
  try {
    const document = row ? checkedDocument(JSON.parse(row.document)) : FIRST;
    return { document, policy: compile(document) };
  } catch {
    // Whoever asks is told by the code of its own, and a person who sets a policy mends it.
    return { document: null, policy: null };
  }
}

/** The document that counts, for who makes the next one of it. */
export async function currentDocument(ctx: Ctx): Promise<PolicyDocument> {
  const { version, document } = await current(ctx);
  if (document) return document;
  throw new ParleyError("CONFLICT", `Version ${version} of the policy cannot be read. Set it anew with policy_set.`);
}

/** As the policy says now. */
export async function riskOf(ctx: Ctx, row: StatedApprovalRow): Promise<Risk> {
  const { policy } = await current(ctx);
  return evaluateOrFail(policy, callOf(row), isoNow(ctx)).risk;
}

/** The policy that counts, or an earlier one. */
export async function getPolicy(ctx: Ctx, { version }: GetPolicy): Promise<Policy> {
  const { space_id } = ctx.actor;
  const wanted = version ?? (await store.findNewest(ctx.db, space_id))?.version ?? 0;
  const row = await store.findPolicy(ctx.db, { space_id, version: wanted });
  if (!row && wanted > 0)
    throw new ParleyError(
      "NOT_FOUND",
      `The policy has no version ${wanted} here. policy_history shows which there are.`,
    );
  const document: PolicyDocument = row ? JSON.parse(row.document) : FIRST;
  return {
    ...{ version: wanted, set_by: row?.set_by_name ?? null, set_at: row ? timeOfId(row.id) : null },
    ...{ note: row?.note ?? "", document, words: documentWords(document), built_in: BUILT_IN.map(({ tool }) => tool) },
  };
}

/** Sets all of it, if it is still what it was made from. */
export const setPolicy = (ctx: Ctx, { document, expected_version, note }: SetPolicy): Promise<Policy> =>
  transact(ctx, async (ctx) => {
    const checked = givenDocument(document);
    const { version } = await current(ctx);
    if (version !== expected_version)
      throw new ParleyError(
        "VERSION_CONFLICT",
        `The policy is at version ${version}, not ${expected_version}; nothing was changed. Look at it again with policy_get.`,
        { details: { current_version: version, expected_version } },
      );
    await write(ctx, checked, note);
    return getPolicy(ctx, {});
  });

/** The next version. */
export async function write(ctx: TxCtx, document: PolicyDocument, note: string): Promise<number> {
  const version = ((await store.findNewest(ctx.tx, ctx.tx.space_id))?.version ?? 0) + 1;
  const id = await tellPolicy(ctx, version);
  const row = { version, id, document: JSON.stringify(document), rules: document.rules.length };
  await store.insertPolicy(ctx.tx, { ...row, set_by: ctx.actor.principal_id, note });
  return version;
}

/** Who set which version when, newest first. */
export async function listVersions(ctx: Ctx, { limit, before }: ListVersions): Promise<VersionList> {
  const where = { space_id: ctx.actor.space_id, before: before ?? FROM_THE_TOP, limit: limit + 1 };
  const { shown, next } = page(await store.listPolicies(ctx.db, where), limit, ({ version }) => version);
  const versions = shown.map(({ version, id, set_by_name: set_by, note, rules }) => ({
    version,
    set_by,
    set_at: timeOfId(id),
    note,
    rules,
  }));
  return { versions, next: next === null ? null : parseId(next) };
}
