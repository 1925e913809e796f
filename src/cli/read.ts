import type { Mail } from "../modules/mail/index.ts";
import { defineCommand } from "./command.ts";
import { callMail, MAIL_OPTIONS, show } from "./mail-call.ts";
import { whole } from "./mail-text.ts";

export const read = defineCommand({
  examples: ["read 1760000000000000", "read 1760000000000000 --json"],
  details: "Marks it as read, for you alone.",
  formats: ["context"],
  positionals: { id: { required: true, description: "the mail, as `parley inbox` lists it" } },
  options: MAIL_OPTIONS,
  async run(cli, { id, fields, compact, compat, ...as }) {
    const mail = await callMail<Mail>(cli, as, "mail_read", { args: { id } });
    await show(cli, { fields, compact, compat }, mail, {
      text: () => whole(mail, cli.out),
      context: async () => (await import("./envelope.ts")).envelope([mail]),
    });
  },
});
