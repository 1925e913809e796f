import { defineGlance } from "../../../module.ts";
import { agentsHere, ownHolder } from "../../identity/index.ts";
import { counts } from "./listing.ts";

/** What happens to what somebody has sent: it makes nothing unread. */
const OF_SENDERS = ["mail.sent", "mail.receipt"];

/** How much is unread in every mailbox that the caller may look into. */
export const mailGlance = defineGlance({
  part: "mail",
  read: counts,
  watch: async (ctx) => {
    const own = await ownHolder(ctx);
    // Of other people's mail nobody learns more than that there is some.
    const shown = new Set([own.principal_id, ...(await agentsHere(ctx)).map(({ principal_id }) => principal_id)]);
    return {
      places: [{ topic: "mail" }],
      hint: ({ type, stream, data }) => {
        if (OF_SENDERS.includes(type)) return null;
        return shown.has(stream) ? { agent: data.agent } : {};
      },
    };
  },
});
