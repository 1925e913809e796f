import { error } from "@sveltejs/kit";

/** For those who work on the app: what is built for others does not have it. */
export const load = async () => {
  if (import.meta.env.DEV) return { Parts: (await import("#lib/ui/parts/Parts.svelte")).default };
  return error(404, "There is nothing at this address.");
};
