import { callAs } from "../core/call-as.ts";
import { defineCommand } from "../core/command.ts";
import { MAIL_OPTIONS, show } from "./call.ts";
import { mailId } from "./ids.ts";
import { whole } from "./text.ts";

export const read = defineCommand({
  examples: ["read latest", "read 1760000000000000 --json"],
  details: "Marks it as read, for you alone.",
  formats: ["context"],
  positionals: { id: { required: true, description: "the mail, as parley inbox lists it, or latest" } },
  options: MAIL_OPTIONS,
  async run(cli, { id, compact, compat, ...as }) {
    const mail = await callAs(cli, as, "mail_read", { args: { id: await mailId(cli, as, id) } });
    await show(cli, { compact, compat }, mail, {
      text: () => whole(mail, cli.out),
      context: async () => (await import("../core/envelope.ts")).envelope([mail]),
    });
  },
});
