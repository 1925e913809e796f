import type { Agent } from "#lib/hub/types.ts";

/** The item in an agent's timeline; its chat where no runtime runs it, which has no timeline then. */
export function timelineHref(agents: readonly Agent[], name: string, id: string): string {
  const has_timeline = agents.find((agent) => agent.name === name)?.client === "parley";
  return `/chat/${encodeURIComponent(name)}${has_timeline ? `?m=${id}` : ""}`;
}
