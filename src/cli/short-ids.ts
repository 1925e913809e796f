/**
 * Ids as people type them: as much of the beginning as names one thing, as with git, and `latest` for the newest. Whole
 * ids are used as they are and cost nothing.
 */
import type { As } from "./acting.ts";
import type { Cli } from "./cli.ts";
import { Failure, invalid } from "./failure.ts";
import { callMail, type Found, type MailItem, type MailList } from "./mail-call.ts";
import type { Page as ChatPage } from "./message.ts";

const WHOLE = 16;
const LEAST = 4;
export const LATEST = "latest";

/** Where `latest` is looked for. */
interface Where {
  folders?: readonly string[];
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

/** What is no id at all is for the hub to refuse. */
const isWhole = (given: string): boolean => given !== LATEST && (!/^\d+$/.test(given) || given.length >= WHOLE);

async function mailOf(cli: Cli, as: As, given: string, { folders = ["inbox"] }: Where): Promise<MailItem> {
  if (given === LATEST) return newest(cli, as, folders);
  checkLength(given);
  const { messages } = await callMail<Found>(cli, as, "mail_search", { args: { ...rangeOf(given), limit: 100 } });
  const ids = messages.map(({ id }) => id);
  const id = theOne(given, ids, "mail");
  // It was just found there.
  return messages[ids.indexOf(id)] as MailItem;
}

function checkLength(given: string): void {
  if (given.length < LEAST) throw invalid(`${given} is too short for an id: give at least ${LEAST} of its digits.`);
}

async function newest(cli: Cli, as: As, folders: readonly string[]): Promise<MailItem> {
  let latest: MailItem | undefined;
  for (const folder of folders) {
    const { messages } = await callMail<MailList>(cli, as, "mail_inbox", { args: { folder, limit: 1 } });
    // Ids of one length, so that the later one is the greater.
    for (const mail of messages) if (!latest || mail.id > latest.id) latest = mail;
  }
  if (latest) return latest;
  throw new Failure(
    "MAIL_NOT_FOUND",
    folders.includes("sent") ? "You have sent no mail." : `There is no mail in ${folders.join(" or ")}.`,
  );
}

type Chat = Pick<Cli, "call">;

/** Of a message in a chat, looked for as whoever reads it. */
export async function chatId(chat: Chat, of: { agent?: string }, given: string): Promise<string> {
  if (isWhole(given)) return given;
  if (given === LATEST) {
    const { messages } = await chat.call<ChatPage>("chat_read_before", { ...of, limit: 1 });
    return messages.at(-1)?.id ?? "0";
  }
  checkLength(given);
  const after_id = String(BigInt(given.padEnd(WHOLE, "0")) - 1n);
  const { messages } = await chat.call<ChatPage>("chat_read_since", { ...of, after_id, limit: 100 });
  return theOne(
    given,
    messages.map(({ id }) => id),
    "message",
  );
}

/** Ids are microseconds, so those that begin so were made between two times, which the hub can look for. */
function rangeOf(prefix: string): { after: string; until?: string } {
  const [first, last] = [prefix.padEnd(WHOLE, "0"), prefix.padEnd(WHOLE, "9")].map((id) => Number(id) / 1000);
  const now = Date.now();
  if (first === undefined || last === undefined || first > now + DAY_MS) throw none(prefix, "mail");
  // What is still to come needs no end.
  return { after: isoOf(Math.floor(first)), ...(last < now && { until: isoOf(Math.ceil(last)) }) };
}

const DAY_MS = 86_400_000;

const isoOf = (ms: number): string => new Date(ms).toISOString();

const none = (given: string, what: string): Failure =>
  new Failure("NOT_FOUND", `No ${what} has an id that begins with ${given}.`);

/** Among ids that may begin so. */
export function theOne(given: string, ids: readonly string[], what: string): string {
  const [first, second] = [...new Set(ids)].filter((id) => id.startsWith(given));
  if (first === undefined) throw none(given, what);
  if (second === undefined || first === given) return first;
  throw invalid(
    `More than one ${what} has an id that begins with ${given}, such as ${first} and ${second}. Give more of it.`,
  );
}
