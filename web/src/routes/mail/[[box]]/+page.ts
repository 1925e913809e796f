import Boxes from "#lib/mail/Boxes.svelte";

/** The frame shows it where the agents are elsewhere. */
export const load = () => ({ aside: Boxes });
