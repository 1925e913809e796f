import type { Ctx } from "../context.ts";
import { type Can, lookAgain } from "../modules/runs/index.ts";

/** What a node can start, as it was last told: what waits in vain is looked at once more when that changes. */
export class Abilities {
  #told = "";

  isTold(can: Can): boolean {
    return JSON.stringify(can) === this.#told;
  }

  /** Once the node's own row says so. What fails is told the next time. */
  async tell(ctx: Ctx, can: Can): Promise<void> {
    if (this.isTold(can)) return;
    await lookAgain(ctx, can);
    this.#told = JSON.stringify(can);
  }
}
