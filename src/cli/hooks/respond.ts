/** What each hook does: one call to the hub, and the answer its client documents. */
import { resolveActing } from "../acting.ts";
import type { Cli } from "../cli.ts";
import type { Client } from "../client.ts";
import { Failure } from "../failure.ts";
import { context, goOn, introduction, nothing } from "./answers.ts";
import { Continuations } from "./continuations.ts";
import { type HookClient, type HookEvent, PROGRAMS } from "./events.ts";
import type { HookInput } from "./input.ts";
import { digest, type Polled, poll } from "./mail.ts";

export interface Asked {
  cli: Cli;
  event: HookEvent;
  input: HookInput;
  client: HookClient;
  /** For Codex: start what tells its idle session of mail. */
  wake: boolean;
}

/** What to print on stdout. Throws a `Failure` when there is nobody to ask; then the hook says nothing. */
export async function respond(asked: Asked): Promise<string> {
  switch (asked.event) {
    case "SessionStart":
      return sessionStart(asked);
    case "UserPromptSubmit":
      return userPromptSubmit(asked);
    case "Stop":
      return stop(asked);
    case "SubagentStop":
      return subagentStop(asked);
    case "PreCompact":
      return preCompact(asked);
    case "Notification":
    case "PermissionRequest": {
      const { tellPeople } = await import("./notification.ts");
      await tellPeople(asked, await acting(asked));
      return nothing(asked.event);
    }
  }
}

async function sessionStart(asked: Asked): Promise<string> {
  const { client, agent } = await acting(asked);
  const polled = await poll(client, { channel: "hook-session-start" });
  if (asked.wake) (await import("./codex.ts")).startWaiter(asked);
  const me = introduction(agent ?? polled.agent);
  return context("SessionStart", (limit) =>
    polled.messages.length > 0 ? `${me}\n\n${digest(polled, limit - me.length - 2)}` : me,
  );
}

async function userPromptSubmit(asked: Asked): Promise<string> {
  const { client } = await acting(asked);
  const polled = await poll(client, { channel: "hook-prompt" });
  if (polled.messages.length === 0) return nothing(asked.event);
  return context("UserPromptSubmit", (limit) => digest(polled, limit));
}

/** So often a mail is offered before it no longer keeps anybody from stopping. It stays unread, and is still named. */
const MOST_OFFERS = 10;

/**
 * Never a loop: a session that is already kept from stopping goes on only for mail that was never offered before, which
 * can be so only once for each, and not more often in a row than its client allows.
 */
async function stop(asked: Asked): Promise<string> {
  const { cli, event, input } = asked;
  const continuations = new Continuations(cli.home.path, input.session_id ?? "");
  // A client that does not say is taken at its worst.
  const already = input.flag("stop_hook_active") ?? true;
  if (!already) continuations.reset();
  else if (continuations.spent) return nothing(event);
  const { client } = await acting(asked);
  const polled = await poll(client, { channel: "hook-stop", fresh: already });
  if (!polled.messages.some(({ offered }) => offered < MOST_OFFERS)) return nothing(event);
  continuations.add();
  return goOn(polled);
}

/** Once, and only for what nobody was offered: it is the session's mail, which the session itself is offered again. */
async function subagentStop(asked: Asked): Promise<string> {
  if (asked.input.flag("stop_hook_active") ?? true) return nothing(asked.event);
  const { client } = await acting(asked);
  const polled = await poll(client, { channel: "hook-subagent-stop", fresh: true });
  return polled.messages.length > 0 ? goOn(polled) : nothing(asked.event);
}

/** What stands here becomes part of what Claude Code is told to keep. Codex takes no text from this hook. */
async function preCompact(asked: Asked): Promise<string> {
  const { client, agent } = await acting(asked);
  const [{ unread, agent: mailbox }] = await Promise.all([
    client.call<Pick<Polled, "unread" | "agent">>("mail_inbox", { unread: true, limit: 1 }),
    import("./remember.ts").then(({ remember }) => remember(asked, client)),
  ]);
  if (asked.client === "codex") return "";
  const mail = unread > 0 ? ` ${unread} unread: \`parley inbox\`.` : "";
  return `Worth keeping: this session is ${agent ?? mailbox} on Parley, with mail of its own.${mail}`;
}

/** As the agent of the session, never as the person who owns the data folder. */
async function acting({ cli, input, client }: Asked): Promise<{ client: Client; agent: string | null }> {
  const session_id = input.session_id;
  if (session_id === undefined)
    throw new Failure("NO_IDENTITY", "the client named no session_id, so nobody knows whose mail is asked for.");
  return resolveActing(cli, { session_id, client: PROGRAMS[client], start: false });
}
