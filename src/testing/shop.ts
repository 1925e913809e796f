/** A server that an agent's runtime mounts: it notes what was bought, and answers as the test says. */
import { Compositor } from "../runtime/compositor/compositor.ts";
import type { MountSpec } from "../runtime/compositor/server.ts";
import type { ToolResult, Toolset } from "../runtime/toolset.ts";

export const BOUGHT: ToolResult = { outcome: "done", output: "It was bought." };

const BUY = {
  name: "buy",
  description: "Buys something.",
  input_schema: { type: "object", properties: { what: { type: "string" } }, required: ["what"] },
  hints: ["destructive"],
} as const;

export class MountedShop {
  readonly bought: unknown[] = [];
  answer: () => Promise<ToolResult> = async () => BOUGHT;
  /** Its entry: another one is another server. */
  fingerprint = "m1";
  /** Why it cannot be started, if it cannot. */
  broken: string | undefined;

  readonly around = async (hub: Toolset, changed: () => void): Promise<Toolset> => {
    const compositor = new Compositor({ hub, changed });
    await compositor.reconfigure(new Map([["shop", this.#spec()]]));
    await compositor.settled();
    return compositor;
  };

  #spec(): MountSpec {
    return {
      fingerprint: this.fingerprint,
      open: async () => {
        if (this.broken !== undefined) throw new Error(this.broken);
        return {
          list: async () => [{ ...BUY, hints: [...BUY.hints] }],
          call: async (_, args) => {
            this.bought.push(args);
            return this.answer();
          },
          close: async () => {},
        };
      },
    };
  }
}
