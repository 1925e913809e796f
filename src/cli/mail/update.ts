import { visibleLine } from "../../visible.ts";
import { ACTING_OPTIONS, type As } from "../core/acting.ts";
import { callAs } from "../core/call-as.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { settled } from "../core/duration.ts";
import type { Input } from "../core/tool-types.ts";
import { type Folder, mailIds } from "./ids.ts";

const IDS = {
  ids: { required: true, rest: true, description: "the mails, or latest; all of them are changed or none" },
} as const;

/** `parley <verb> ID…` for what needs nothing but ids. */
function verb(action: Change["action"], { details, told }: { details: string; told: string }) {
  return defineCommand({
    examples: [`${action} 1760000000000000`, `${action} 1760000000000000 1760000000000001`],
    details,
    positionals: IDS,
    options: ACTING_OPTIONS,
    async run(cli, { ids, ...as }) {
      await update(cli, as, { ids, action, told });
    },
  });
}

export const ack = verb("ack", {
  details: "Says to its sender that you dealt with it. It is marked as read too.",
  told: "acknowledged",
});
export const archive = verb("archive", {
  details: "Out of the inbox; parley inbox --folder archived shows it.",
  told: "moved to archived",
});
export const trash = verb("trash", {
  details: "It is purged after 30 days; parley unarchive takes it back before.",
  told: "moved to trash",
});
export const unarchive = defineCommand({
  examples: ["unarchive 1760000000000000"],
  details: "Back to the inbox, from the archive, the trash or a snooze.",
  positionals: IDS,
  options: ACTING_OPTIONS,
  async run(cli, { ids, ...as }) {
    await update(cli, as, { ids, action: "inbox", told: "moved to inbox", folders: AWAY });
  },
});
export const unread = verb("unread", { details: "As if you had not read it.", told: "marked as unread" });

export const snooze = defineCommand({
  examples: ["snooze 1760000000000000 --until 2h", "snooze 1760000000000000 --until 2026-12-01T09:00:00Z"],
  details: "It leaves the inbox and comes back at that time, as new.",
  positionals: IDS,
  options: {
    until: { type: "text", value: "TIME", required: true, description: "30m, 2h, 3d, a day or an ISO time" },
    ...ACTING_OPTIONS,
  },
  async run(cli, { ids, until, ...as }) {
    const at = settled(until);
    await update(cli, as, { ids, action: "snooze", until: at, told: `snoozed until ${cli.out.time(at ?? until)}` });
  },
});

interface Change {
  ids: readonly string[];
  action: Input<"mail_update">["action"];
  until?: string | undefined;
  /** What is said of each. */
  told: string;
  /** Where `latest` is looked for, if not in the inbox. */
  folders?: readonly Folder[];
}

/** Where mail is that can be taken back. */
const AWAY: readonly Folder[] = ["archived", "trash", "snoozed"];

async function update(cli: Cli, as: As, { ids, told, folders, ...change }: Change): Promise<void> {
  const args = { ids: await mailIds(cli, as, ids, folders && { folders }), ...change };
  const updated = await callAs(cli, as, "mail_update", { args });
  await cli.out.result(
    updated,
    () => updated.messages.map(({ id }) => `Message #${visibleLine(id)} ${visibleLine(told)}.`).join("\n"),
    () => updated.messages.map(({ id }) => visibleLine(id)),
  );
}
