/** What a model is told to do with its mail: it has to exist, and to work from where that model runs it. */
import type { Cli } from "../core/cli.ts";
import type { HookClient } from "./events.ts";

/** A command line that works as it stands. */
type Line = (command: string) => string;

export interface CommandHints {
  /** Where the rest is. */
  inbox: string;
  /** What to do with the mails shown. */
  how: string;
  introduction: (agent: string) => string;
}

/**
 * By the launcher's whole path, since `parley` is on no PATH. A command that Codex runs in its sandbox has no network, and
 * reaches no hub; Parley's MCP tools do.
 */
export function hintsFor(cli: Pick<Cli, "wholeLine">, client: HookClient): CommandHints {
  const line: Line = (command) => cli.wholeLine(command);
  return client === "codex" ? forCodex(line) : forClaude(line);
}

const forClaude = (line: Line): CommandHints => ({
  inbox: line("inbox"),
  how: `\`${line("read ID")}\` shows one whole, \`${line("reply ID --body TEXT")}\` answers it, \`${line("ack ID")}\` says that it is dealt with.`,
  introduction: (agent) =>
    `${whoYouAre(agent)} \`${line("inbox")}\` shows your mail, \`${line("send --to NAME --subject S --body B")}\` writes to somebody, \`${line("agent list")}\` says who there is.`,
});

const forCodex = (line: Line): CommandHints => ({
  inbox: "mail_inbox",
  how: `Parley's tools: mail_read shows one whole, mail_reply answers it, mail_update with action ack says that it is dealt with. Without them, where commands may use the network: \`${line("read ID")}\`.`,
  introduction: (agent) =>
    `${whoYouAre(agent)} Parley's tools: mail_inbox shows your mail, mail_send writes to somebody, agent_list says who there is. Without them, where commands may use the network: \`${line("inbox")}\`.`,
});

const whoYouAre = (agent: string): string =>
  `You are ${agent} on Parley, a hub where people and agents write to each other.`;
