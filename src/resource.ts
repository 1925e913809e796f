import type { Ctx, Role } from "./context.ts";
import type { EventView, FeedEvent } from "./feed/event.ts";
import type { Facet } from "./tool.ts";

/** Where in a space's feed something may happen that changes a resource. */
export interface FeedPlace {
  topic: string;
  /** Leave out for every stream of the topic. */
  stream?: string;
  /** Leave out for every type of event. */
  types?: readonly string[];
  /** Told within a second, as one hint for all that happened: for what matters little and happens often. */
  merged?: boolean;
}

/** What a subscriber to a resource waits for. */
export interface Watch {
  places: readonly FeedPlace[];
  /**
   * Null when the event is no reason to read the resource again. What it returns may ride along on the hint. Left out,
   * every event there is a reason. A door works out once what all are told who watch with the same function.
   */
  hint?: EventView | undefined;
}

export const isAt = ({ topic, stream, types }: FeedPlace, event: FeedEvent): boolean =>
  topic === event.topic &&
  (stream === undefined || stream === event.stream) &&
  (types === undefined || types.includes(event.type));

export const hintOf = ({ hint }: Watch, event: FeedEvent): ReturnType<EventView> => (hint ? hint(event) : {});

/** Something that can be read by its URI and watched for changes. */
export interface Resource {
  name: string;
  title: string;
  description: string;
  /** A URI, or a template such as `ui://chat/{agent}/inbox`. */
  uri: string;
  mime: string;
  roles: readonly Role[];
  /** The tools that give the same: what is said of calls of them counts for it. Left out where no agent reads it. */
  given_by?: readonly string[];
  facets: readonly Facet[];
  /** Throws `UNKNOWN_RESOURCE` or `AGENT_NOT_FOUND` alike for what is not there and what is not yours. */
  read: (ctx: Ctx, variables: Record<string, string>) => Promise<object>;
  /** Checks the same rights as `read`. */
  watch: (ctx: Ctx, variables: Record<string, string>) => Promise<Watch>;
}

export const defineResource = (definition: Resource): Resource => definition;

/**
 * Every URI it is read and followed by. Some clients take `ui://` for pages to show and hide it from their model: what
 * the seeds name so is also there as `parley://`.
 */
export const namesOf = ({ uri }: Resource): readonly string[] =>
  uri.startsWith("ui://") ? [uri, uri.replace("ui://", "parley://")] : [uri];

/** The variables of `template` in `uri`, or null if it does not match. `{name}` stands for one path segment. */
export function matchUri(template: string, uri: string): Record<string, string> | null {
  const pattern = template.split("/");
  const given = uri.split("/");
  if (pattern.length !== given.length) return null;
  const variables: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const value = given[at] ?? "";
    const variable = /^\{([a-z_]+)\}$/.exec(part)?.[1];
    if (variable && value) variables[variable] = value;
    else if (part !== value) return null;
  }
  return variables;
}
