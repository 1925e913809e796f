import type { Sent } from "../../modules/mail/index.ts";
import { visibleLine } from "../../visible.ts";
import { ACTING_OPTIONS } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, repeated, text } from "../core/command.ts";
import { settled } from "../core/duration.ts";
import { invalid, reasonOf } from "../core/failure.ts";
import { readStdin } from "../core/io.ts";
import { counted } from "../core/words.ts";
import { type Kept, QUEUE_OPTIONS, sendOrQueue } from "../outbox/send.ts";
import { SHAPE_OPTIONS, shaped } from "./call.ts";
import { mailId, threadId } from "./ids.ts";

const BODY = {
  body: text("TEXT", "what it says, or - for stdin"),
  body_file: text("FILE", "a file with what it says, or - for stdin"),
} as const;
const SUBJECT = text("TEXT", "what it is about, in one line", { required: true });
const PRIORITY = text("P", "urgent, normal or low", { choices: ["urgent", "normal", "low"], default: "normal" });
const DEADLINE = text("TIME", "when it must be acknowledged: 2h, 3d, a day or an ISO time");
/** As whom, and what to do without a hub. */
export const SENDING = { ...ACTING_OPTIONS, ...QUEUE_OPTIONS } as const;
const LATER =
  "When the hub cannot be reached it is kept in the outbox, and the next command that reaches the hub sends it, once.";

export const send = defineCommand({
  examples: [
    'send --to scout --subject "Build is red" --body "Please look at the tests."',
    "send --to scout,mason --subject Plan --body-file plan.md --priority urgent --deadline 2h",
    "send --to User --subject Report --body - < report.md",
  ],
  details: `To agents by name (parley agent list), or to User for the people here. All of them get it or none. ${LATER}`,
  options: {
    to: repeated("NAME", "to whom; may be repeated, or several with commas"),
    subject: SUBJECT,
    ...BODY,
    priority: PRIORITY,
    deadline: DEADLINE,
    thread: text("ID", "the thread it belongs to, or latest (default: a new one)"),
    ...SENDING,
    compat: SHAPE_OPTIONS.compat,
  },
  async run(cli, { to, subject, body, body_file, priority, deadline, thread, compat, ...how }) {
    const args = {
      to: recipientsOf(to),
      subject,
      body: await bodyOf(cli, body, body_file),
      priority,
      deadline: settled(deadline),
      thread_id: thread === undefined ? undefined : await threadId(cli, how, thread),
    };
    const sent = await sendOrQueue<Sent>(cli, { tool: "mail_send", args }, how);
    await tell(cli, sent, {
      compat,
      text: (sent) =>
        `Message sent to ${sent.to.map(visibleLine).join(", ")}. ID: ${sent.id}, Thread: ${sent.thread_id}`,
    });
  },
});

export const reply = defineCommand({
  examples: ['reply latest --body "Done."', "reply 1760000000000000 --body-file answer.md --priority urgent"],
  details: `To everybody in the thread but yourself. ${LATER}`,
  positionals: { id: { required: true, description: "a mail of the thread, or latest" } },
  options: {
    ...BODY,
    subject: text("TEXT", "another subject than the thread's"),
    priority: PRIORITY,
    deadline: DEADLINE,
    ...SENDING,
    compat: SHAPE_OPTIONS.compat,
  },
  async run(cli, { id, body, body_file, subject, priority, deadline, compat, ...how }) {
    const whole = await mailId(cli, how, id);
    const args = {
      id: whole,
      body: await bodyOf(cli, body, body_file),
      priority,
      subject,
      deadline: settled(deadline),
    };
    const sent = await sendOrQueue<Sent>(cli, { tool: "mail_reply", args }, how);
    await tell(cli, sent, {
      compat,
      text: (sent) => `Reply sent to ${sent.to.map(visibleLine).join(", ")}. ID: ${sent.id}`,
    });
  },
});

export const publish = defineCommand({
  examples: ['publish builds --subject "main is green" --body "All 512 tests passed."'],
  details: `To everybody who is subscribed to the topic at that moment. ${LATER}`,
  positionals: { topic: { required: true, description: "the topic" } },
  options: {
    subject: SUBJECT,
    ...BODY,
    priority: PRIORITY,
    ...SENDING,
  },
  async run(cli, { topic, subject, body, body_file, priority, ...how }) {
    const args = { topic, subject, body: await bodyOf(cli, body, body_file), priority };
    const sent = await sendOrQueue<Sent>(cli, { tool: "mail_publish", args }, how);
    await tell(cli, sent, {
      text: ({ id, to }) =>
        `Published to ${visibleLine(topic)}${to.length === 0 ? ", which nobody follows" : `, for ${counted(to.length, "follower")}`}. ID: ${id}`,
      more: ({ id, to }) => ({ message_id: id, topic, recipients_count: to.length }),
    });
  },
});

/** Each once, however they were given. */
export function recipientsOf(to: readonly string[]): string[] {
  const names = to.flatMap((each) => each.split(",")).map((name) => name.trim());
  const recipients = [...new Set(names.filter((name) => name !== ""))];
  if (recipients.length === 0) throw invalid("--to NAME is missing: to whom.");
  return recipients;
}

interface Telling {
  compat?: boolean;
  text: (sent: Sent) => string;
  /** What JSON says beside it. */
  more?: (sent: Sent) => object;
}

/** That it was sent, or is kept for later. */
export async function tell(cli: Cli, sent: Sent | Kept, { compat = false, text, more }: Telling): Promise<void> {
  if ("queued" in sent) {
    const key = sent.idempotency_key;
    return cli.out.result(sent, () => `Queued, to be sent as soon as the hub is reached. Key: ${key}`, [key]);
  }
  const value = { ...more?.(sent), ...sent };
  await cli.out.result(cli.out.json ? await shaped(value, { compact: false, compat }) : value, () => text(sent), [
    sent.id,
  ]);
}

async function bodyOf(cli: Cli, body: string | undefined, file: string | undefined): Promise<string> {
  if (body !== undefined && file !== undefined) throw invalid("Say either --body or --body-file.");
  if (body === "-" || file === "-") return readStdin(cli.io);
  if (body !== undefined) return body;
  if (file === undefined) throw invalid("--body TEXT or --body-file FILE is missing: what it says.");
  try {
    return process.getBuiltinModule("node:fs").readFileSync(file, "utf8");
  } catch (cause) {
    throw invalid(`--body-file cannot be read: ${reasonOf(cause)}`, { cause });
  }
}
