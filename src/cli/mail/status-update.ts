/** A mail to people that says how far an agent is, always of the same form, so that they can be told apart and skipped. */
import type { Sent } from "../../modules/mail/index.ts";
import { visibleLine } from "../../visible.ts";
import type { As } from "../core/acting.ts";
import { callAs } from "../core/call-as.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, flag, repeated, text } from "../core/command.ts";
import { subjectOf } from "../core/envelope.ts";
import { invalid, isFailure } from "../core/failure.ts";
import { branchOf, placeName, projectOf } from "../core/identity-env.ts";
import { Outbox } from "../outbox/outbox.ts";
import { sendOrQueue } from "../outbox/send.ts";
import { isSame, senderOf } from "../outbox/sender.ts";
import { recipientsOf, SENDING, tell } from "./send.ts";

const MARK = "[Status] ";

export const statusUpdate = defineCommand({
  examples: [
    'status-update --summary "Half of the tests pass"',
    'status-update --summary "The plan is ready" --waiting-for "your decision on the database"',
    'status-update --summary "Still at it" --skip-if-pending',
  ],
  details:
    "Sends a mail to the people here that says how far you are, on which project and branch, and what you wait for. With --skip-if-pending nothing is sent while the last one has been read by nobody.",
  options: {
    summary: text("TEXT", "how far it is; its first line is the subject", { required: true }),
    waiting_for: text("TEXT", "what it needs to go on"),
    to: repeated("NAME", "to whom; may be repeated (default: User, the people here)"),
    skip_if_pending: flag("send nothing while the last one is unread"),
    ...SENDING,
  },
  async run(cli, { summary, waiting_for, to, skip_if_pending, ...how }) {
    if (summary.trim() === "") throw invalid("--summary is empty: say how far it is.");
    const { no_queue: _no, queue_only: _only, ...as } = how;
    const pending = skip_if_pending ? await pendingUpdate(cli, as) : undefined;
    if (pending) return cli.out.result({ skipped: true, ...pending }, () => `Nothing was sent. ${pending.reason}`);
    const args = {
      to: to.length > 0 ? recipientsOf(to) : ["User"],
      ...written({ summary, waiting_for, project: projectOf(as.project, cli.io.env) }),
      priority: "normal",
    };
    const sent = await sendOrQueue<Sent>(cli, { tool: "mail_send", args }, how);
    await tell(cli, sent, {
      text: ({ id, to }) => `Told ${to.map(visibleLine).join(", ")}. ID: ${id}`,
      more: () => ({ sent: true }),
    });
  },
});

interface Update {
  summary: string;
  waiting_for: string | undefined;
  project: string;
}

function written({ summary, waiting_for, project }: Update) {
  const branch = branchOf(project);
  const first = summary.trim().split("\n")[0] ?? "";
  const facts = [`Project: ${project}`, ...(branch === null ? [] : [`Branch: ${branch}`])];
  return {
    subject: subjectOf(`${MARK}${placeName(project)} - ${first}`),
    body: [summary.trim(), ...(waiting_for ? [`Waiting for: ${waiting_for.trim()}`] : []), facts.join("\n")].join(
      "\n\n",
    ),
  };
}

/** The last one, if it waits in the outbox or nobody has read it. */
async function pendingUpdate(cli: Cli, as: As): Promise<{ id: string; reason: string } | undefined> {
  const isUpdate = (subject: unknown): boolean => String(subject).startsWith(MARK);
  try {
    const list = await callAs(cli, as, "mail_inbox", { folder: "sent", limit: 100 });
    const last = list.messages.find(({ subject }) => isUpdate(subject));
    if (!last) return undefined;
    const { recipients } = await callAs(cli, as, "mail_status", { id: last.id });
    if (recipients.some(({ read_at, acked_at }) => read_at || acked_at)) return undefined;
    return { id: last.id, reason: `Nobody has read the last one yet, #${visibleLine(last.id)}.` };
  } catch (error) {
    if (!isFailure(error, "HUB_UNREACHABLE", "SHUTTING_DOWN")) throw error;
    const sender = await senderOf(cli, as);
    const waiting = new Outbox(cli.home).all();
    const last = waiting.find((entry) => isUpdate(entry.args.subject) && isSame(entry.sender, sender));
    return last && { id: last.key, reason: "The last one still waits for the hub." };
  }
}
