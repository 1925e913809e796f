import type { As } from "../core/acting.ts";
import { callAs } from "../core/call-as.ts";
import type { Cli } from "../core/cli.ts";
import { Failure } from "../core/failure.ts";
import { idRange, isWhole, LATEST, noneBegins, theOne } from "../core/short-ids.ts";
import type { Input } from "../core/tool-types.ts";
import type { MailItem } from "./call.ts";

export type Folder = NonNullable<Input<"mail_inbox">["folder"]>;

/** Where `latest` is looked for. */
interface Where {
  folders?: readonly Folder[];
}

/** Of a mail. */
export async function mailId(cli: Cli, as: As, given: string, where: Where = {}): Promise<string> {
  return isWhole(given) ? given : (await mailOf(cli, as, given, where)).id;
}

/** Of the thread that a mail is in, where the id is cut short; one that is whole is the thread's own. */
export async function threadId(cli: Cli, as: As, given: string): Promise<string> {
  return isWhole(given) ? given : (await mailOf(cli, as, given, {})).thread_id;
}

export const mailIds = async (cli: Cli, as: As, given: readonly string[], where?: Where): Promise<string[]> => {
  const ids: string[] = [];
  for (const each of given) ids.push(await mailId(cli, as, each, where));
  return ids;
};

async function mailOf(cli: Cli, as: As, given: string, { folders = ["inbox"] }: Where): Promise<MailItem> {
  if (given === LATEST) return newest(cli, as, folders);
  const { messages } = await callAs(cli, as, "mail_search", { args: { ...sentWithin(given), limit: 100 } });
  const ids = messages.map(({ id }) => id);
  const id = theOne(given, ids, "mail");
  // It was just found there.
  return messages[ids.indexOf(id)] as MailItem;
}

async function newest(cli: Cli, as: As, folders: readonly Folder[]): Promise<MailItem> {
  let latest: MailItem | undefined;
  for (const folder of folders) {
    const { messages } = await callAs(cli, as, "mail_inbox", { args: { folder, limit: 1 } });
    // Ids of one length, so that the later one is the greater.
    for (const mail of messages) if (!latest || mail.id > latest.id) latest = mail;
  }
  if (latest) return latest;
  throw new Failure(
    "MAIL_NOT_FOUND",
    folders.includes("sent") ? "You have sent no mail." : `There is no mail in ${folders.join(" or ")}.`,
  );
}

/** Ids are microseconds, so those that begin so were made between two times, which the hub can look for. */
function sentWithin(prefix: string): { after: string; until?: string } {
  const { first, last } = idRange(prefix);
  const [from_ms, until_ms] = [Number(first) / 1000, Number(last) / 1000];
  const now = Date.now();
  if (from_ms > now + DAY_MS) throw noneBegins(prefix, "mail");
  // What is still to come needs no end.
  return { after: isoOf(Math.floor(from_ms)), ...(until_ms < now && { until: isoOf(Math.ceil(until_ms)) }) };
}

const DAY_MS = 86_400_000;

const isoOf = (ms: number): string => new Date(ms).toISOString();
