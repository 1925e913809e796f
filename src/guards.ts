/** Who says whether something may be called or read. */
import { type Ctx, type TxCtx, transact } from "./context.ts";
import type { Guard, Permit, PlannedCall } from "./module.ts";

/** Asks all of them, and throws what the first says against it. Gives what is to be used up once it is done. */
export async function permitsFor(ctx: Ctx, guards: readonly Guard[], call: PlannedCall): Promise<Permit[]> {
  const permits: Permit[] = [];
  for (const guard of guards) {
    const permit = await guard(ctx, call);
    if (permit) permits.push(permit);
  }
  return permits;
}

/** Whether what these tools give may be had in another way: throws what is said against a call of any, and uses up what allows it. */
export type CheckReads = (ctx: Ctx, tools: readonly string[], args: Record<string, unknown>) => Promise<void>;

export const createCheckReads =
  (guards: readonly Guard[]): CheckReads =>
  async (ctx, tools, args) => {
    const permits: Permit[] = [];
    for (const tool of tools) permits.push(...(await permitsFor(ctx, guards, { tool, arguments: args })));
    if (permits.length > 0) await transact(ctx, (ctx) => useUp(ctx, permits));
  };

export async function useUp(ctx: TxCtx, permits: readonly Permit[]): Promise<void> {
  for (const permit of permits) await permit(ctx);
}
