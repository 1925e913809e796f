import type { MailStatus, TopicList } from "../modules/mail/index.ts";
import { ACTING_OPTIONS } from "./acting.ts";
import { defineCommand } from "./command.ts";
import { rows } from "./fields.ts";
import { callMail } from "./mail-call.ts";
import { visibleLine } from "./visible.ts";

export const topics = defineCommand({
  examples: ["topics", "topics --subscribed"],
  details: "A topic is there while somebody is subscribed to it.",
  options: { subscribed: { type: "flag", description: "only those you are subscribed to" }, ...ACTING_OPTIONS },
  async run(cli, { subscribed, ...as }) {
    const all = await callMail<TopicList>(cli, as, "mail_topics", { args: {} });
    const topics = all.topics.filter((topic) => !subscribed || topic.subscribed);
    await cli.out.result({ topics }, () =>
      topics.length === 0
        ? `There are none. Begin one: ${cli.line("subscribe TOPIC")}`
        : rows(topics, ["topic", "subscribers", "subscribed"]),
    );
  },
});

function switched(on: boolean) {
  const word = on ? "subscribe" : "unsubscribe";
  return defineCommand({
    examples: [`${word} builds`],
    details: on ? "You get what is published there from now on." : "You get no more of what is published there.",
    positionals: { topic: { required: true, description: "the topic" } },
    options: ACTING_OPTIONS,
    async run(cli, { topic, ...as }) {
      const answer = await callMail<object>(cli, as, "mail_subscribe", { args: { topic, on } });
      const said = { ...answer, status: `${word}d` };
      await cli.out.result(said, () => `${on ? "Subscribed to" : "Unsubscribed from"} ${visibleLine(topic)}.`);
    },
  });
}

export const subscribe = switched(true);
export const unsubscribe = switched(false);

export const receipts = defineCommand({
  examples: ["receipts 1760000000000000"],
  details: "For each recipient the furthest there is proof of: stored, offered, injected, read or acknowledged.",
  positionals: { id: { required: true, description: "a mail that you sent" } },
  options: ACTING_OPTIONS,
  async run(cli, { id, ...as }) {
    const status = await callMail<MailStatus>(cli, as, "mail_status", { args: { id } });
    await cli.out.result(status, () =>
      rows(
        status.recipients.map((recipient) => ({
          ...recipient,
          by: recipient.deliveries.map(({ channel, state, attempt }) => `${channel} ${state} ×${attempt}`),
        })),
        ["name", "state", "read_at", "acked_at", "by"],
      ),
    );
  },
});
