import { visibleLine } from "../../visible.ts";
import { ACTING_OPTIONS } from "../core/acting.ts";
import { callAs } from "../core/call-as.ts";
import { defineCommand } from "../core/command.ts";
import { rows } from "../core/fields.ts";
import { mailId } from "./ids.ts";

export const topics = defineCommand({
  examples: ["topics", "topics --subscribed"],
  details: "A topic is there while somebody is subscribed to it.",
  options: { subscribed: { type: "flag", description: "only those you are subscribed to" }, ...ACTING_OPTIONS },
  async run(cli, { subscribed, ...as }) {
    const all = await callAs(cli, as, "mail_topics", { args: {} });
    const topics = all.topics.filter((topic) => !subscribed || topic.subscribed);
    await cli.out.result(
      { topics },
      () =>
        topics.length === 0
          ? `There are none. Begin one: ${cli.line("subscribe TOPIC")}`
          : rows(cli.out, topics, ["topic", "subscribers", "subscribed"]),
      () => topics.map(({ topic }) => visibleLine(topic)),
    );
  },
});

export const receipts = defineCommand({
  examples: ["receipts latest", "receipts 1760000000000000"],
  details: "For each recipient the furthest there is proof of: stored, offered, injected, read or acknowledged.",
  positionals: { id: { required: true, description: "a mail that you sent; latest for the last one" } },
  options: ACTING_OPTIONS,
  async run(cli, { id, ...as }) {
    const status = await callAs(cli, as, "mail_status", {
      args: { id: await mailId(cli, as, id, { folders: ["sent"] }) },
    });
    await cli.out.result(
      status,
      () =>
        rows(
          cli.out,
          status.recipients.map((recipient) => ({
            ...recipient,
            by: recipient.deliveries.map(({ channel, state, attempt }) => `${channel} ${state} ×${attempt}`),
          })),
          ["name", "state", "read_at", "acked_at", "by"],
        ),
      () => status.recipients.map(({ name }) => visibleLine(name)),
    );
  },
});
