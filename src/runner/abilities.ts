import type { Ctx } from "../context.ts";
import { type Can, lookAgain } from "../modules/runs/index.ts";

/** What a node can start, as it was last told: what waits in vain is looked at once more when that changes. */
export class Abilities {
  #told = "";

  /** Once the node's own row says so. What fails is told the next time. */
  async tell(ctx: Ctx, can: Can): Promise<void> {
    const text = JSON.stringify(can);
    if (text === this.#told) return;
    await lookAgain(ctx, can);
    this.#told = text;
  }
}
