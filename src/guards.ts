/** Who says whether something may be called or read. */
import type { Ctx, TxCtx } from "./context.ts";
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

export async function useUp(ctx: TxCtx, permits: readonly Permit[]): Promise<void> {
  for (const permit of permits) await permit(ctx);
}
