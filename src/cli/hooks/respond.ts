/** What each hook does: a call or two to the hub, and the answer its client documents. */
import { resolveActing } from "../acting.ts";
import type { Cli } from "../cli.ts";
import type { Client } from "../client.ts";
import { Failure } from "../failure.ts";
import { context, goOn, introduction, nothing } from "./answers.ts";
import { Continuations } from "./continuations.ts";
import { type HookClient, type HookEvent, PROGRAMS } from "./events.ts";
import type { HookInput } from "./input.ts";
import { digest, type Polled, poll, type Told } from "./mail.ts";
import { Reminder } from "./reminder.ts";

export interface Asked {
  cli: Cli;
  event: HookEvent;
  input: HookInput;
  client: HookClient;
  /** For Codex: start what tells its idle session of mail. */
  wake: boolean;
}

export interface Response {
  /** For stdout. */
  text: string;
  /** To be called when that was printed, if it tells of mail: only then is the mail offered. */
  printed?: () => Promise<void>;
}

/** Throws a `Failure` when there is nobody to ask; then the hook says nothing. */
export async function respond(asked: Asked): Promise<Response> {
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
      return silent(asked);
    }
  }
}

async function sessionStart(asked: Asked): Promise<Response> {
  const { client, agent } = await acting(asked);
  const channel = "hook-session-start";
  const told = await poll(client, { channel });
  if (asked.wake) (await import("./codex.ts")).startWaiter(asked);
  const me = introduction(agent ?? told.agent);
  if (told.messages.length === 0) return { text: context("SessionStart", () => me) };
  const text = context("SessionStart", (limit) => `${me}\n\n${digest(told, limit - me.length - 2)}`);
  return { text, printed: noting(asked, { client, channel, told }) };
}

async function userPromptSubmit(asked: Asked): Promise<Response> {
  const { client } = await acting(asked);
  const channel = "hook-prompt";
  const told = await poll(client, { channel, naming: (something_new) => something_new || reminderOf(asked).due });
  if (told.messages.length === 0) return silent(asked);
  const text = context("UserPromptSubmit", (limit) => digest(told, limit));
  return { text, printed: noting(asked, { client, channel, told }) };
}

/** So often a mail is offered before it no longer keeps anybody from stopping. It stays unread, and is still named. */
const MOST_OFFERS = 10;

/**
 * Never a loop: a session that is already kept from stopping goes on only for mail that was never offered before, which
 * can be so only once for each, and not more often in a row than its client allows.
 */
async function stop(asked: Asked): Promise<Response> {
  const { cli, input } = asked;
  const continuations = new Continuations(cli.home.path, input.session_id ?? "");
  // A client that does not say is taken at its worst.
  const already = input.flag("stop_hook_active") ?? true;
  if (!already) continuations.reset();
  else if (continuations.spent) return silent(asked);
  const { client } = await acting(asked);
  const channel = "hook-stop";
  const told = await poll(client, { channel, naming: () => !already });
  if (!told.messages.some(({ offered }) => offered < MOST_OFFERS)) return silent(asked);
  continuations.add();
  return { text: goOn(told), printed: noting(asked, { client, channel, told }) };
}

/** Once, and only for what nobody was offered: it is the session's mail, which the session itself is offered again. */
async function subagentStop(asked: Asked): Promise<Response> {
  if (asked.input.flag("stop_hook_active") ?? true) return silent(asked);
  const { client } = await acting(asked);
  const channel = "hook-subagent-stop";
  const told = await poll(client, { channel, naming: () => false });
  if (told.messages.length === 0) return silent(asked);
  // The session itself was told nothing, so its reminder stays as it is.
  return { text: goOn(told), printed: () => offered({ client, channel, told }) };
}

const silent = ({ event }: Asked): Response => ({ text: nothing(event) });

interface Telling {
  client: Client;
  channel: string;
  told: Told;
}

const noting = (asked: Asked, telling: Telling) => async (): Promise<void> => {
  await offered(telling);
  reminderOf(asked).note();
};

async function offered({ client, channel, told }: Telling): Promise<void> {
  await client.call("mail_offered", { ids: told.messages.map(({ id }) => id), channel });
}

const reminderOf = ({ cli, input }: Asked): Reminder => new Reminder(cli.home.path, input.session_id ?? "");

/** What stands here becomes part of what Claude Code is told to keep. Codex takes no text from this hook. */
async function preCompact(asked: Asked): Promise<Response> {
  const { client, agent } = await acting(asked);
  const [{ unread, agent: mailbox }] = await Promise.all([
    client.call<Pick<Polled, "unread" | "agent">>("mail_inbox", { unread: true, limit: 1 }),
    import("./remember.ts").then(({ remember }) => remember(asked, client)),
  ]);
  if (asked.client === "codex") return { text: "" };
  const mail = unread > 0 ? ` ${unread} unread: \`parley inbox\`.` : "";
  return { text: `Worth keeping: this session is ${agent ?? mailbox} on Parley, with mail of its own.${mail}` };
}

/** As the agent of the session, never as the person who owns the data folder. */
async function acting({ cli, input, client }: Asked): Promise<{ client: Client; agent: string | null }> {
  const session_id = input.session_id;
  if (session_id === undefined)
    throw new Failure("NO_IDENTITY", "the client named no session_id, so nobody knows whose mail is asked for.");
  return resolveActing(cli, { session_id, client: PROGRAMS[client], start: false });
}
