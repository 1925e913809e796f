/** What the commands of mail have in common: as whom they call, and how they print what came back. */

import type { Mail, MailItem, MailList, Polled } from "../../modules/mail/index.ts";
import { ACTING_OPTIONS, type As, resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { flag, type Options, type Typed } from "../core/command.ts";
import type { Ids } from "../core/output.ts";
import type { Input } from "../core/tool-types.ts";

export type { Mail, MailItem, MailList, Polled };

/** For every command that prints mail. */
export const SHAPE_OPTIONS = {
  compact: flag("in JSON: leave out what is empty"),
  compat: flag("in JSON: the field names of substrate (ID, SenderName, …)"),
} as const satisfies Options;

export const MAIL_OPTIONS = { ...ACTING_OPTIONS, ...SHAPE_OPTIONS } as const satisfies Options;

export type Shape = Typed<typeof SHAPE_OPTIONS>;

export type PollArgs = Omit<Input<"mail_poll">, "mark" | "wait_seconds">;

/**
 * It may be another hub each time, on another port. None is started: somebody may have stopped it on purpose. The hub
 * notes nothing: what came is new until whoever shows it says so (`noteShown`).
 */
export async function pollOnce(cli: Cli, as: As, args: PollArgs, wait_seconds = 0): Promise<Polled> {
  const { client } = await resolveActing(cli, { ...as, start: false });
  await cli.deliver();
  return client.call("mail_poll", { ...args, mark: false, wait_seconds });
}

interface Texts {
  text: () => string;
  /** For a model. */
  context?: () => string;
  /** With `--quiet`. */
  ids?: Ids;
}

export async function show(cli: Cli, shape: Shape, value: object, { text, context, ids }: Texts): Promise<void> {
  if (cli.out.format === "context" && context) return cli.out.write(context());
  await cli.out.result(cli.out.json ? await shaped(value, shape) : value, text, ids);
}

export const shaped = async (value: object, shape: Shape): Promise<unknown> =>
  shape.compact || shape.compat ? (await import("./compat.ts")).shaped(value, shape) : value;
