import { visibleLine } from "../../visible.ts";
import { ACTING_OPTIONS, type As, resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { fields } from "../core/fields.ts";

const ORDER = "By --agent, the session, the project's default, or the token, in this order.";

export const whoami = defineCommand({
  examples: ["whoami", "whoami --agent webshop-main"],
  details: ORDER,
  options: ACTING_OPTIONS,
  run: tell,
});

export const agentWhoami = defineCommand({
  examples: ["agent whoami", "agent whoami --session-id 4f1c"],
  details: ORDER,
  options: ACTING_OPTIONS,
  run: tell,
});

async function tell(cli: Cli, as: As): Promise<void> {
  const { client } = await resolveActing(cli, as);
  const me = await client.call("whoami", {});
  await cli.out.result(
    me,
    () => fields(cli.out, me),
    () => [visibleLine(String(me.principal))],
  );
}
