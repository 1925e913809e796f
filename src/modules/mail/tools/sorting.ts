import { PEOPLE, READERS, WRITERS } from "../../../context.ts";
import { defineTool, type ToolCommand } from "../../../tool.ts";
import { AGENT } from "../../identity/index.ts";
import { MailStatus, Release, Released, StatusOf, Update, Updated } from "../schema.ts";
import * as service from "../service.ts";
import { facets, MAIL } from "./naming.ts";

interface Sorting extends Pick<ToolCommand, "name" | "summary" | "details"> {
  action: string;
  /** What is said of each. */
  told: string;
}

/** `parley <verb> ID…` for what needs nothing but ids. */
const sorting = ({ action, told, ...command }: Sorting): ToolCommand => ({
  examples: [`${command.name} 1760000000000000`, `${command.name} 1760000000000000 1760000000000001`],
  acting: true,
  words: { ids: "the mails, or latest; all of them are changed or none" },
  names: { ids: MAIL },
  must: ["ids"],
  fixed: { action },
  without: ["id", "until", "agent"],
  rows: { list: "messages", each: `Message #{id} ${told}.` },
  id: "id",
  ...command,
});

const SORTING: readonly ToolCommand[] = [
  sorting({
    name: "ack",
    action: "ack",
    summary: "say that a mail is dealt with",
    details: "Says to its sender that you dealt with it. It is marked as read too.",
    told: "acknowledged",
  }),
  sorting({
    name: "archive",
    action: "archive",
    summary: "put mail away",
    details: "Out of the inbox; parley inbox --folder archived shows it.",
    told: "moved to archived",
  }),
  sorting({
    name: "trash",
    action: "trash",
    summary: "throw mail away",
    details: "It is purged after 30 days; parley unarchive takes it back before.",
    told: "moved to trash",
  }),
  {
    ...sorting({
      name: "unarchive",
      action: "inbox",
      summary: "take mail back into the inbox",
      details: "Back to the inbox, from the archive, the trash or a snooze.",
      told: "moved to inbox",
    }),
    names: { ids: { ...MAIL, latest: [{ folder: "archived" }, { folder: "trash" }, { folder: "snoozed" }] } },
  },
  sorting({
    name: "unread",
    action: "unread",
    summary: "mark mail as not read",
    details: "As if you had not read it.",
    told: "marked as unread",
  }),
  {
    ...sorting({
      name: "snooze",
      action: "snooze",
      summary: "have mail come back later",
      details: "It leaves the inbox and comes back at that time, as new.",
      told: "snoozed until {snoozed_until}",
    }),
    examples: ["snooze 1760000000000000 --until 2h", "snooze 1760000000000000 --until 2026-12-01T09:00:00Z"],
    must: ["ids", "until"],
    without: ["id", "agent"],
  },
];

export const sortingTools = [
  defineTool({
    name: "mail_update",
    aliases: ["mail.update"],
    title: "Sort mail",
    description:
      "Acknowledges (ack) mail you dealt with, archives, trashes, snoozes or marks it. Only your own copy changes.",
    roles: WRITERS,
    facets,
    writes: true,
    core: true,
    commands: SORTING,
    input: Update,
    output: Updated,
    run: service.update,
  }),
  defineTool({
    name: "mail_status",
    aliases: ["mail.status"],
    title: "See how far mail came",
    description: "Tells for each recipient of mail you sent how far there is proof it came, and by which channel.",
    roles: READERS,
    facets,
    commands: [
      {
        name: "receipts",
        summary: "see how far mail came that you sent",
        acting: true,
        examples: ["receipts latest", "receipts 1760000000000000"],
        details: "For each recipient the furthest there is proof of: stored, offered, injected, read or acknowledged.",
        words: { id: "a mail that you sent; latest for the last one" },
        names: { id: { ...MAIL, latest: [{ folder: "sent" }] } },
        rows: {
          list: "recipients",
          columns: ["name", "state", "read_at", "acked_at", "by"],
          cells: { by: { of: "deliveries", says: "{channel} {state} ×{attempt}" } },
        },
        id: "name",
      },
    ],
    input: StatusOf,
    output: MailStatus,
    run: service.statusOf,
  }),
  defineTool({
    name: "mail_release",
    title: "Let two agents write on",
    description: "Lets two agents answer each other again that the loop guard has stopped.",
    roles: PEOPLE,
    facets,
    writes: true,
    commands: [
      {
        name: "mail release",
        summary: "let agents that were stopped write to each other again",
        people: true,
        examples: ["mail release scout mason"],
        details: "Agents that answered each other without end were stopped. This lets them write to each other again.",
        words: { agents: "those that were stopped" },
        names: { agents: AGENT },
        says: "These may write to each other again: {agents}.",
      },
    ],
    input: Release,
    output: Released,
    run: service.release,
  }),
];
