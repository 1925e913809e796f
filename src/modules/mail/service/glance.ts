import { defineGlance } from "../../../module.ts";
import { agentsHere, ownHolder } from "../../identity/index.ts";
import { IN_MAILBOX, mailboxHint, TOPIC } from "./events.ts";
import { counts } from "./listing.ts";

/** How much is unread in every mailbox that the caller may look into. */
export const mailGlance = defineGlance({
  part: "mail",
  read: counts,
  watch: async (ctx) => {
    const own = await ownHolder(ctx);
    const shown = new Set([own.principal_id, ...(await agentsHere(ctx)).map(({ principal_id }) => principal_id)]);
    return { places: [{ topic: TOPIC, types: IN_MAILBOX }], hint: mailboxHint(shown) };
  },
});
