import type { Actor } from "../context.ts";
import type { Outlets } from "../http/outlet.ts";
import type { Hub } from "../hub.ts";
import type { Facets } from "../tool.ts";
import type { Catalogue } from "./catalogue.ts";
import type { Fixtures } from "./fixtures.ts";
import type { Hints } from "./hints.ts";
import type { Limits } from "./limits.ts";
import type { Notifications } from "./notifications.ts";
import type { Seats } from "./seats.ts";

/** What every part of the door shares. */
export interface Parts {
  readonly hub: Hub;
  readonly limits: Limits;
  readonly catalogue: Catalogue;
  readonly hints: Hints;
  readonly outlets: Outlets;
  readonly notifications: Notifications;
  readonly seats: Seats;
  /** Only in tests. */
  readonly fixtures: Fixtures | undefined;
}

/** Who asks, and at which address: it decides what is listed, not what may be done. */
export interface Who {
  readonly actor: Actor;
  readonly facets: Facets;
}
