import { defineCommand } from "./command.ts";
import { fields } from "./fields.ts";

export const whoami = defineCommand({
  examples: ["whoami"],
  async run(cli) {
    const me = await cli.call<Record<string, unknown>>("whoami", {});
    await cli.out.result(me, () => fields(me));
  },
});
