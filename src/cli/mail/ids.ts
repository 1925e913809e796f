import type { Lookup } from "../../tool.ts";
import type { As } from "../core/acting.ts";
import { callsAs } from "../core/call-as.ts";
import type { Cli } from "../core/cli.ts";
import { thingTyped, wholeName } from "../core/lookup.ts";
import { isWhole } from "../core/short-ids.ts";

/** As the commands have it that are made of tools. */
const MAIL: Lookup = {
  what: "mail",
  tool: "mail_search",
  list: "messages",
  short: true,
  between: ["after", "until"],
  latest: [{ folder: "inbox" }],
  code: "MAIL_NOT_FOUND",
};

/** Of a mail. */
export const mailId = (cli: Cli, as: As, given: string): Promise<string> => wholeName(callsAs(cli, as), MAIL, given);

/** Of the thread that a mail is in, where the id is cut short; one that is whole is the thread's own. */
export async function threadId(cli: Cli, as: As, given: string): Promise<string> {
  return isWhole(given) ? given : String((await thingTyped(callsAs(cli, as), MAIL, given))?.thread_id);
}
