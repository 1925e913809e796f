import { onCommit } from "./commits.ts";
import type { Hub } from "./hub.ts";

/** More than the pages and programs of one principal follow. */
const FREE_STREAMS = 32;
/** So many streams are told of something for what another call costs. */
const TOLD_A_CALL = 10;

/** Whoever holds very many streams open pays for telling itself what it does, as soon as that is done. */
export function chargeFanOut(hub: Hub): void {
  onCommit(hub, "what is told to streams", ({ events }) => {
    for (const { actor_id } of events) {
      if (actor_id === null) continue;
      const streams = hub.streams.countOf({ principal_id: actor_id }) - FREE_STREAMS;
      if (streams > 0) hub.limit.spend(actor_id, streams / TOLD_A_CALL);
    }
  });
}
