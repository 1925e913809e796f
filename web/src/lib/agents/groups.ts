import type { Agent } from "#lib/hub/types.ts";
import { type Mood, moodOf } from "./mood.ts";

interface Group {
  words: string;
  agents: { agent: Agent; mood: Mood }[];
}

/** In the order in which they want to be looked at. */
const GROUPS: readonly { words: string; kinds: readonly Mood["kind"][] }[] = [
  { words: "Waiting for you", kinds: ["waiting"] },
  { words: "Working", kinds: ["working"] },
  { words: "Idle", kinds: ["idle"] },
  { words: "Offline", kinds: ["failed", "away"] },
];

/** Those there are, by how they are; within a group in the order they came. */
export function groupsOf(agents: readonly Agent[], live: boolean): Group[] {
  const all = agents.map((agent) => ({ agent, mood: moodOf(agent, live) }));
  return GROUPS.map(({ words, kinds }) => ({
    words,
    agents: all.filter(({ mood }) => kinds.includes(mood.kind)),
  })).filter((group) => group.agents.length > 0);
}
