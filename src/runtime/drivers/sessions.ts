/** Which session a program is in, kept so that the next runtime on this machine goes on with it. */
import { z } from "zod";
import { readIfThere, replaceFile } from "../../local/files.ts";

const Session = z.object({
  session_id: z.string().max(1000),
  /** The last turn that it was given. */
  turn_id: z.string(),
  /** What all of it has cost so far, as the program says. */
  cost_usd: z.number().min(0),
  input_tokens: z.number().min(0).default(0),
  output_tokens: z.number().min(0).default(0),
  /** Up to where in the log it was given what was said. */
  given_id: z.string().default("0"),
  /** Whether it has shown that it has that. */
  is_taken: z.boolean().default(true),
  /** What the processes carry that were started for it last; empty once they are known to have ended. */
  cookie: z.string().default(""),
});
export type Session = z.infer<typeof Session>;

export interface SessionStore {
  read(): Session | undefined;
  write(session: Session): void;
}

export const sessionFile = (path: string): SessionStore => ({
  read: () => {
    const read = Session.safeParse(jsonIn(readIfThere(path) ?? ""));
    return read.success ? read.data : undefined;
  },
  write: (session) => replaceFile(path, `${JSON.stringify(session)}\n`),
});

export const beginning = (session: Pick<Session, "session_id"> & Partial<Session>): Session => ({
  ...{ turn_id: "0", cost_usd: 0, input_tokens: 0, output_tokens: 0, given_id: "0", is_taken: true, cookie: "" },
  ...session,
});

/** Where somebody else has answered since, the session does not know what was said: a fresh one is told. */
export const isCurrent = (session: Session, answered_turn_id: string | null): boolean =>
  answered_turn_id === null || Number(answered_turn_id) <= Number(session.turn_id);

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // There is none, or it is damaged: then the program begins afresh.
    return undefined;
  }
}
