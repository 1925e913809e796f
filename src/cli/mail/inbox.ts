import { visibleLine } from "../../visible.ts";
import type { As } from "../core/acting.ts";
import { callAs } from "../core/call-as.ts";
import type { Cli, Lines } from "../core/cli.ts";
import { defineCommand, flag, howMany, text } from "../core/command.ts";
import { enclosedLines, envelope } from "../core/envelope.ts";
import type { Input } from "../core/tool-types.ts";
import { MAIL_OPTIONS, type MailItem, type MailList, type Shape, show } from "./call.ts";
import { mailId, threadId } from "./ids.ts";
import { contextLines, listed, quoted, whole } from "./text.ts";

const LIMIT = howMany(20, 100);
const BEFORE = text("ID", "the next page: what the last one gave as next");
const PAGING = { limit: LIMIT, before: BEFORE, page_token: text("ID", "the same as --before") } as const;
const FOLDER = ["inbox", "archived", "trash", "snoozed", "sent"] as const;

export const inbox = defineCommand({
  examples: ["inbox", "inbox --all -n 50", "inbox --agent scout --json", "inbox --folder sent"],
  details: "Lists what is not read. It marks nothing; parley read does, and --mark-read marks what is listed.",
  formats: ["context"],
  options: {
    ...PAGING,
    all: flag("what is read too", { short: "a" }),
    folder: text("F", FOLDER.join(", "), { choices: FOLDER, default: "inbox" }),
    mark_read: flag("mark what is listed as read"),
    ...MAIL_OPTIONS,
  },
  async run(cli, { limit, before, page_token, all, folder, mark_read, compact, compat, ...as }) {
    const unread = !all && folder === "inbox";
    const wanted = { folder, unread, limit, before: before ?? page_token };
    const list = await showFolder(cli, as, wanted, { compact, compat });
    const ids = list.messages.filter(({ read_at, state }) => !read_at && state !== null).map(({ id }) => id);
    // After it was printed: what nobody saw is not read.
    if (mark_read && ids.length > 0) await callAs(cli, as, "mail_update", { ids, action: "read" });
  },
});

async function showFolder(cli: Cli, as: As, wanted: Input<"mail_inbox">, shape: Shape): Promise<MailList> {
  const list = await callAs(cli, as, "mail_inbox", wanted);
  await show(cli, shape, list, {
    text: () => overview(cli, list, wanted),
    context: () => contextOf(cli.linesFor(as), list),
    ids: list.messages,
  });
  return list;
}

const pageHint = (cli: Cli, next: string | null): string[] =>
  next === null ? [] : [`There is more: ${cli.again("--before", visibleLine(next), ["--before", "--page-token"])}`];

function overview(cli: Cli, list: MailList, { unread, folder }: Input<"mail_inbox">): string {
  const agent = visibleLine(list.agent);
  const count = `${list.unread}${list.unread_more ? "+" : ""}`;
  if (list.messages.length === 0) return unread ? `No unread mail for ${agent}.` : `Nothing in ${folder} of ${agent}.`;
  const heading = folder === "sent" ? `Sent by ${agent}` : `${folder} of ${agent}, ${count} unread`;
  const mails = listed(list.messages, cli.out, { sent: folder === "sent" });
  return [heading, "", mails, ...pageHint(cli, list.next)].join("\n");
}

function contextOf(lines: Lines, list: MailList): string {
  const messages = list.messages.map((message) => ({ ...message, offered: 0 }));
  const urgent = messages.filter(({ priority }) => priority === "urgent").length;
  return contextLines({ messages, unread: Math.max(list.unread, messages.length), urgent }, lines);
}

export const sent = defineCommand({
  examples: ["sent", "sent -n 50", "sent --json"],
  details: "What you sent, newest first; parley receipts says how far one of them came.",
  formats: ["context"],
  options: { ...PAGING, ...MAIL_OPTIONS },
  async run(cli, { limit, before, page_token, compact, compat, ...as }) {
    const wanted = { folder: "sent", unread: false, limit, before: before ?? page_token } as const;
    await showFolder(cli, as, wanted, { compact, compat });
  },
});

export const search = defineCommand({
  examples: [
    "search deadline",
    'search "\\"release plan\\"" --from mason',
    "search --folder archived --after 2026-01-31",
    "search --in sent --to ana",
  ],
  details: "Words in subject and text; all of them have to be there. Only what is in your own mailbox is found.",
  formats: ["context"],
  positionals: { query: { rest: true, description: "words, or a phrase in quotation marks" } },
  options: {
    ...PAGING,
    from: text("NAME", "only from this one"),
    to: text("NAME", "only what was sent to this one, alone or with others"),
    in: text("F", `only in: ${FOLDER.join(", ")}`, { choices: [...FOLDER, "all"] }),
    folder: text("F", "the same as --in", { choices: FOLDER }),
    thread: text("ID", "only in this thread, or that of the latest"),
    unread: flag("only what is not read"),
    after: text("TIME", "only what was sent after: an ISO time or a day"),
    until: text("TIME", "only what was sent before"),
    ...MAIL_OPTIONS,
  },
  async run(cli, { query, in: within, folder, thread, unread, before, page_token, compact, compat, ...given }) {
    const { agent, session_id, project, ...filter } = given;
    const as = { agent, session_id, project };
    const where = within === "all" ? undefined : (within ?? folder);
    const found = await callAs(cli, as, "mail_search", {
      ...{ ...filter, query: query.join(" "), folder: where, unread: unread || undefined },
      thread_id: thread === undefined ? undefined : await threadId(cli, as, thread),
      before: before ?? page_token,
    });
    await show(cli, { compact, compat }, found, {
      text: () =>
        found.messages.length === 0
          ? "Nothing was found."
          : [listed(found.messages, cli.out, { sent: where === "sent" }), ...pageHint(cli, found.next)].join("\n"),
      context: () => (found.messages.length === 0 ? "" : enclosedLines(found.messages.map(foundLine))),
      ids: found.messages,
    });
  },
});

const foundLine = ({ id, from, subject }: MailItem): string =>
  `- #${id} From: ${visibleLine(from)} - ${quoted(subject)}`;

export const read = defineCommand({
  examples: ["read latest", "read 1760000000000000 --json"],
  details: "Marks it as read, for you alone.",
  formats: ["context"],
  positionals: { id: { required: true, description: "the mail, as parley inbox lists it, or latest" } },
  options: MAIL_OPTIONS,
  async run(cli, { id, compact, compat, ...as }) {
    const mail = await callAs(cli, as, "mail_read", { id: await mailId(cli, as, id) });
    await show(cli, { compact, compat }, mail, {
      text: () => whole(mail, cli.out),
      context: () => envelope([mail]),
    });
  },
});

export const thread = defineCommand({
  examples: ["thread 1760000000000000", "thread 1760000000000000 -n 5 --json"],
  details: "Oldest first. It marks nothing as read.",
  formats: ["context"],
  positionals: { id: { required: true, description: "the thread, or a mail in it, or latest" } },
  options: { limit: LIMIT, before: BEFORE, ...MAIL_OPTIONS },
  async run(cli, { id, limit, before, compact, compat, ...as }) {
    const found = await callAs(cli, as, "mail_thread", { id: await mailId(cli, as, id), limit, before });
    const { subject, participants, messages, has_more } = found;
    await show(cli, { compact, compat }, found, {
      text: () =>
        [
          `${cli.out.bold(visibleLine(subject))}  (${participants.map(visibleLine).join(", ")})`,
          ...(has_more ? [`There are earlier ones: ${cli.again("--before", visibleLine(messages[0]?.id ?? id))}`] : []),
          ...messages.map((mail) => `\n${whole(mail, cli.out)}`),
        ].join("\n"),
      context: () => envelope(messages),
      ids: found.messages,
    });
  },
});
