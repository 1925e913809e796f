import type { Client } from "../../client/index.ts";
import type { Channel, Push } from "../../mcp/stdio/channel.ts";
import type { Cli } from "../core/cli.ts";
import type { Target } from "../core/client.ts";
import { Failure, reasonOf } from "../core/failure.ts";
import { libraryClient, orFailure } from "../core/library.ts";
import { ChatPusher } from "./chat.ts";
import { Listener } from "./listener.ts";
import { MailPusher } from "./mail.ts";
import { PermissionRelay } from "./permission.ts";
import { sendReply } from "./replies.ts";
import { createPersist, Over, type Session } from "./session.ts";
import { instructions, statusPush } from "./text.ts";

interface Options {
  /** As whom. */
  target: Target;
  /** Of what agents write only the sender is pushed. */
  people_only: boolean;
}

/** Serves a channel on stdin and stdout until the client has gone. */
export async function runChannel(cli: Cli, { target, people_only }: Options): Promise<void> {
  using client = libraryClient(cli, target);
  const read = cli.wholeLine("read ID");
  await new ChannelRun(client, { home: cli.home.path, people_only, read, cause: cli.cause }).serve();
}

interface Running {
  home: string;
  people_only: boolean;
  /** A command that reads a letter. */
  read: string;
  /** What leads to all that the session does. */
  cause: string | undefined;
}

interface Me {
  agent: string;
  space: string;
}

class ChannelRun {
  readonly #client: Client;
  readonly #options: Running;
  readonly #who = Promise.withResolvers<Me>();
  /** Nothing is pushed any more: the client has gone, or another session is this agent now. */
  readonly #quiet = new AbortController();
  readonly #listener = new Listener();
  /** The message or mail that was pushed last. */
  #last: string | undefined;
  #mail: MailPusher | undefined;

  constructor(client: Client, options: Running) {
    this.#client = client;
    this.#options = options;
    // Heard by whoever needs to know who we are, which may be nobody.
    this.#who.promise.catch(() => {});
  }

  async serve(): Promise<void> {
    // Only here: the SDK takes longer to load than any other command to run.
    const { Channel } = await import("../../mcp/stdio/channel.ts");
    const relay: PermissionRelay = new PermissionRelay({
      client: this.#client,
      agent: this.#who.promise.then(({ agent }) => agent),
      cause: () => this.#last ?? this.#options.cause,
      permit: (permission) => channel.permit(permission),
      note,
    });
    const channel = await Channel.open({
      input: process.stdin,
      output: process.stdout,
      instructions: instructions(this.#options.read),
      reply: (reply, key) =>
        sendReply({ client: this.#client, mail: this.#mail, listener: this.#listener }, reply, key),
      asked: (request) => {
        this.#listener.prove();
        relay.ask(request);
      },
      report: (error) => note(reasonOf(error)),
    });
    process.once("SIGTERM", () => void channel.close());
    void channel.closed.then(() => this.#quiet.abort());
    try {
      await Promise.race([channel.closed, this.#follow(channel).then(() => channel.closed)]);
    } catch (error) {
      throw orFailure(error);
    } finally {
      await relay.stop();
    }
  }

  async #follow(channel: Channel): Promise<void> {
    await channel.initialized;
    const { signal } = this.#quiet;
    const client = this.#client;
    const persist = createPersist(client, signal);
    try {
      const me = await persist(() => whoIs(client));
      this.#who.resolve(me);
      const place = { home: this.#options.home, ...me };
      const push = (push: Push): Promise<void> => {
        // Before it is out: the client may ask for something as soon as it has it.
        this.#last = push.meta.message_id ?? this.#last;
        return handOver(channel, push);
      };
      const session: Session = { client, signal, place, persist, push, listener: this.#listener, note };
      await Promise.all([new ChatPusher(session).run(), this.#followMail(session)]);
    } catch (error) {
      if (!(error instanceof Over)) throw error;
    }
  }

  async #followMail(session: Session): Promise<void> {
    const { people_only } = this.#options;
    const shown = (trust: string): boolean => trust === "principal" || (trust === "peer" && !people_only);
    this.#mail = new MailPusher(session, shown);
    if ((await this.#mail.run()) !== "superseded") return;
    await session.push(statusPush(`Another session acts as ${session.place.agent} now: what is new is pushed there.`));
    this.#quiet.abort();
  }
}

async function whoIs(client: Client): Promise<Me> {
  const { agent, principal, space } = await client.call("whoami", {});
  if (agent !== null) return { agent, space };
  throw new Failure(
    "NO_IDENTITY",
    `A channel is for an agent, and ${principal} is none. Set PARLEY_TOKEN to an agent's.`,
  );
}

/** A client that takes nothing any more has gone, however it says so. */
async function handOver(channel: Channel, push: Push): Promise<void> {
  try {
    await channel.push(push);
  } catch (cause) {
    throw new Over("the client has gone", { cause });
  }
}

/** For the person who looks into the client's log. */
const note = (text: string): void => void process.stderr.write(`parley: ${text}\n`);
