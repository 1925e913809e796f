import { keep, personal, recall } from "#lib/hub/kept.ts";

/** What is listened to of each, in a mailbox and a chat, has to fit on one stream. */
const MOST = 40;

/** The agents whose chats and mailboxes are followed, as one text, so that the same ones are the same. */
export const followedOf = (agents: readonly { name: string }[]): string =>
  agents
    .map(({ name }) => name)
    .slice(0, MOST)
    .join(" ");

/** Those of the last time: what is listened to from the start needs no second stream. */
export const recallFollowed = (me: string): string => recall(personal(me, "agents")) ?? "";

export const keepFollowed = (me: string, names: string): void => {
  keep(personal(me, "agents"), names || null);
};
