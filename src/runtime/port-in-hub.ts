import { HubError } from "../client/index.ts";
import { ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { FACETS } from "../tool.ts";
import { inputSchemaOf } from "../tool-schema.ts";
import type { HubPort } from "./port.ts";

/** In the hub's own process, as the agent with the roles that it has when it asks: by `hub.call`, as from outside. */
interface As {
  principal_id: string;
  space_id: string;
  /** The token that was made for it. */
  token_id?: string;
}

export function inHubPort(hub: Hub, { principal_id, space_id, token_id }: As): HubPort {
  const actor = () => hub.credentials.actorFor(principal_id, space_id, token_id);
  return {
    call: (name, args, { key, cause, signal } = {}) =>
      translated(async () =>
        hub.call(await actor(), hub.tools.find(name), args, { door: "internal", idempotency_key: key, cause, signal }),
      ),
    tools: (facets) =>
      translated(async () => {
        const wanted = FACETS.filter((facet) => facets.includes(facet));
        return hub.tools.list(await actor(), wanted).map((tool) => ({
          name: tool.name,
          description: tool.description,
          input_schema: inputSchemaOf(tool),
        }));
      }),
  };
}

/** As the hub's refusals look from outside. */
async function translated<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof ParleyError)
      throw new HubError(error.code, error.message, { status: error.status, cause: error });
    throw error;
  }
}
