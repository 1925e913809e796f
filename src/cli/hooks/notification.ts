/** A client waits for its person: the people of the space get a mail about it. */
import type { Client } from "../core/client.ts";
import { elided, subjectOf } from "../core/envelope.ts";
import { placeName, projectOf } from "../core/identity-env.ts";
import type { HookInput } from "./input.ts";
import type { Asked } from "./respond.ts";

const MOST_BODY = 4_000;

/** Permissions are asked for at once, as approvals (`permission.ts`): to tell of one again, later, would be noise. */
export async function tellPeople(
  { input }: Pick<Asked, "input">,
  acting: () => Promise<{ client: Client }>,
): Promise<void> {
  if (input.text("notification_type") === "permission_prompt") return;
  const title = titleOf(input);
  const subject = `[Notification] ${placeName(projectOf(undefined, process.env))} - ${title}`;
  await (await acting()).client.call("mail_send", {
    to: ["User"],
    subject: subjectOf(subject),
    body: elided(bodyOf(input, title), MOST_BODY),
    priority: "normal",
  });
}

function titleOf(input: HookInput): string {
  return input.text("title") ?? input.text("message")?.trim().split("\n")[0] ?? "waits for you";
}

function bodyOf(input: HookInput, title: string): string {
  const lines = [input.text("message") ?? title, "", `Folder: ${input.text("cwd") ?? process.cwd()}`];
  const session = input.session_id;
  return [...lines, ...(session ? [`Session: ${session}`] : [])].join("\n");
}
