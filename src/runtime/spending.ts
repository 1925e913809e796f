import type { NewEvent } from "../modules/timeline/index.ts";
import type { Usage } from "./drivers/program.ts";

/** What a turn has used and the hub does not know yet. It stands on an entry, and is charged with that or not at all. */
export class Spending {
  #unsaid: Required<Usage> | undefined;

  add({ cost_usd = 0, input_tokens = 0, output_tokens = 0 }: Usage): void {
    const before = this.#unsaid ?? { cost_usd: 0, input_tokens: 0, output_tokens: 0 };
    this.#unsaid = {
      cost_usd: before.cost_usd + cost_usd,
      input_tokens: before.input_tokens + input_tokens,
      output_tokens: before.output_tokens + output_tokens,
    };
  }

  /** Writes them, the first that can say what was used with that. */
  async saidWith<T>(events: NewEvent[], write: (events: NewEvent[]) => Promise<T>): Promise<T> {
    const at = events.findIndex(({ type }) => type === "ModelText" || type === "ToolCall" || type === "TurnEnded");
    const used = this.#unsaid;
    if (at < 0 || !used) return write(events);
    this.#unsaid = undefined;
    try {
      // One that has these fields.
      return await write(events.map((event, n) => (n === at ? ({ ...event, ...used } as NewEvent) : event)));
    } catch (error) {
      // Nothing of it was written: the end of the turn says it.
      this.add(used);
      throw error;
    }
  }
}
