import type { Mail } from "../modules/mail/index.ts";
import { defineCommand } from "./command.ts";
import { callMail, MAIL_OPTIONS, show } from "./mail-call.ts";
import { whole } from "./mail-text.ts";
import { mailId } from "./short-ids.ts";

export const read = defineCommand({
  examples: ["read latest", "read 1760000000000000 --json"],
  details: "Marks it as read, for you alone.",
  formats: ["context"],
  positionals: { id: { required: true, description: "the mail, as parley inbox lists it, or latest" } },
  options: MAIL_OPTIONS,
  async run(cli, { id, compact, compat, ...as }) {
    const mail = await callMail<Mail>(cli, as, "mail_read", { args: { id: await mailId(cli, as, id) } });
    await show(cli, { compact, compat }, mail, {
      text: () => whole(mail, cli.out),
      context: async () => (await import("./envelope.ts")).envelope([mail]),
    });
  },
});
