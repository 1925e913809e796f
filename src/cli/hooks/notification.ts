/** A client waits for its person: the people of the space get a mail about it. */
import type { Client } from "../client.ts";
import { elided, plainLine } from "../envelope.ts";
import { placeName, projectOf } from "../identity-env.ts";
import type { HookInput } from "./input.ts";
import type { Asked } from "./respond.ts";

const MOST_SUBJECT = 200;
const MOST_BODY = 4_000;

export async function tellPeople(
  { event, input }: Pick<Asked, "event" | "input">,
  { client }: { client: Client },
): Promise<void> {
  const permission = event === "PermissionRequest" || input.text("notification_type") === "permission_prompt";
  const title = titleOf(input);
  const subject = `[${permission ? "Permission" : "Notification"}] ${placeName(projectOf(undefined, process.env))} - ${title}`;
  await client.call("mail_send", {
    to: ["User"],
    subject: elided(plainLine(subject), MOST_SUBJECT).replaceAll("\n", " "),
    body: elided(bodyOf(input, title), MOST_BODY),
    // It does nothing until somebody answers.
    priority: permission ? "urgent" : "normal",
  });
}

function titleOf(input: HookInput): string {
  const tool = input.text("tool_name");
  const named = input.text("title") ?? input.text("message")?.trim().split("\n")[0];
  return named ?? (tool ? `wants to use ${tool}` : "waits for you");
}

function bodyOf(input: HookInput, title: string): string {
  const lines = [input.text("message") ?? title, "", `Folder: ${input.text("cwd") ?? process.cwd()}`];
  const session = input.session_id;
  return [...lines, ...(session ? [`Session: ${session}`] : [])].join("\n");
}
