import { type As, resolveActing } from "../core/acting.ts";
import type { Cli } from "../core/cli.ts";
import { Failure } from "../core/failure.ts";
import { Patience } from "../core/patience.ts";

interface Shown {
  /** By which way: what the sender sees. */
  channel: string;
  messages: readonly { id: string }[];
  /** How long to try again, for what wakes somebody: else the same mail would do so again at once, and again. */
  patience_ms?: number;
}

const ANSWER_MS = 5_000;

/**
 * To be called once it was printed, never before: mail that nobody saw must stay new. Should the hub not hear of it,
 * which this says on stderr, it is shown once more.
 */
export async function noteShown(cli: Cli, as: As, { channel, messages, patience_ms = 0 }: Shown): Promise<void> {
  if (messages.length === 0) return;
  const ids = messages.map(({ id }) => id);
  try {
    await new Patience({ wait_ms: patience_ms, patient: true }).until(
      async () => {
        const { client } = await resolveActing(cli, { ...as, start: false });
        return client.call("mail_offered", { ids, channel }, { timeout_ms: ANSWER_MS });
      },
      () => true,
    );
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    await tell(cli, error);
  }
}

async function tell(cli: Cli, { message }: Failure): Promise<void> {
  const { visibleLine } = await import("../../visible.ts");
  await cli.out.tell(`parley: this mail will be shown once more: ${visibleLine(message)}`);
}
