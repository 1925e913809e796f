/** Every call that the policy has decided about, whether or not that left an approval. */
import { setImmediate } from "node:timers/promises";
import type { Ctx } from "../../../context.ts";
import type { LoggedCall } from "../../../module.ts";
import { currentName } from "../../../old-names.ts";
import { FROM_THE_TOP } from "../../../pages.ts";
import * as store from "../store.ts";
import { BUILT_IN, HUB_SERVER } from "./built-in.ts";
import { readable } from "./letting.ts";

const PAGE = 500;
const RUNTIMES_OWN: ReadonlySet<string> = new Set(BUILT_IN.map(({ tool }) => tool));

/**
 * Newest first: what was asked about, and from the logs of agents what was let through without. Where a call stands in
 * both its approval is met first, being the later of the two.
 */
export async function* pastCalls(ctx: Ctx): AsyncGenerator<store.PastCall> {
  const asked = pages((page) => store.listCalls(ctx.db, { space_id: ctx.actor.space_id, ...page }));
  const logged = ctx.calls.map((provider) => pages((page) => provider.list(ctx, page)));
  const met = new Set<string>();
  for await (const call of newestFirst<store.PastCall | LoggedCall>([asked, ...logged])) {
    const which = `${call.agent} ${call.call_id}`;
    if ("server" in call) {
      // What a person called stands in no log as a model's.
      if (call.called_by === null) met.add(which);
      yield call;
    } else if (!met.delete(which)) {
      const own = ownCall(ctx, call);
      if (own) yield own;
    }
  }
}

/** Undefined for what the policy never saw: a tool that is none of the hub's, and what is not JSON. */
function ownCall(ctx: Ctx, { arguments: given, ...call }: LoggedCall): store.PastCall | undefined {
  const tool = currentName(call.tool);
  const read = ctx.own_tools.has(tool) || RUNTIMES_OWN.has(tool) ? readable(given) : undefined;
  if (!read) return undefined;
  const own = {
    server: HUB_SERVER,
    mount: "",
    covers: "arguments",
    hints: null,
    executes: "runtime",
    called_by: null,
  } as const;
  return { ...call, tool, arguments: read.text, ...own };
}

interface Page {
  before_id: number;
  limit: number;
}

/** In pages: however many there are, nobody else waits for all of them. */
async function* pages<T extends { id: number }>(read: (page: Page) => Promise<T[]>): AsyncGenerator<T> {
  let before_id = FROM_THE_TOP;
  for (;;) {
    const rows = await read({ before_id, limit: PAGE });
    yield* rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    before_id = last.id;
    await setImmediate();
  }
}

async function* newestFirst<T extends { id: number }>(streams: readonly AsyncGenerator<T>[]): AsyncGenerator<T> {
  const heads = await Promise.all(streams.map(async (stream) => ({ stream, next: await stream.next() })));
  for (;;) {
    const [first] = heads.filter(({ next }) => !next.done).sort((a, b) => b.next.value.id - a.next.value.id);
    if (!first) return;
    yield first.next.value;
    first.next = await first.stream.next();
  }
}
