import { z } from "zod";
import { ADMINS, MAKERS, ONLOOKERS, ROLES } from "../../../context.ts";
import { HUB_SPACE } from "../../../db/open.ts";
import { defineTool, type Lookup } from "../../../tool.ts";
import {
  CreateSpace,
  Filled,
  FillSpace,
  FinishSpace,
  Glance,
  GlanceAt,
  OpenSpace,
  Space,
  SpaceRef,
} from "../schema.ts";
import * as service from "../service.ts";

const Nothing = z.strictObject({});
const facets = ["admin"] as const;

/** What the words of commands name. */
const SPACE: Lookup = {
  what: "space",
  tool: "space_list",
  list: "spaces",
  field: "space",
  short: true,
  code: "SESSION_NOT_FOUND",
};

export const spaces = [
  defineTool({
    name: "create_session",
    aliases: ["space_create"],
    title: "Create a space",
    description:
      "Makes a space: a separate set of agents, messages and everything else. It expires after its time to live.",
    roles: MAKERS,
    facets: ["admin", "workspace"],
    spaceless: true,
    writes: true,
    scope: () => HUB_SPACE,
    core: true,
    commands: [
      {
        name: "space create",
        summary: "open a space",
        people: true,
        examples: ["space create", "space create sess_review --ttl 7d"],
        details: "When it expires, what is in it is archived and removed.",
        words: { id: "its id: a UUID or sess_…; chosen for you without it" },
        durations: { ttl_seconds: "ttl" },
        without: ["session_id"],
        shows: { fields: ["space", "created_at", "expires_at"] },
        id: "space",
      },
    ],
    input: CreateSpace,
    output: Space,
    run: service.createSpace,
  }),
  defineTool({
    name: "space_list",
    title: "List spaces",
    description: "Lists the spaces you may use.",
    roles: [...ONLOOKERS, "orchestrator"],
    facets,
    core: true,
    commands: [
      {
        name: "space list",
        summary: "list the spaces",
        people: true,
        examples: ["space list"],
        rows: { list: "spaces", columns: ["space", "created_at", "expires_at"], none: "There are no spaces." },
        id: "space",
      },
    ],
    input: Nothing,
    output: z.object({ spaces: z.array(Space) }),
    run: service.listSpaces,
  }),
  defineTool({
    name: "space_look",
    title: "Look at the space",
    description: "Tells when the space you are in was made, and when it ends.",
    roles: ROLES,
    unlisted: true,
    facets,
    input: z.strictObject({}),
    output: Space,
    run: service.lookAtSpace,
  }),
  defineTool({
    name: "space_glance",
    title: "Glance at the space",
    description:
      "Tells what every page shows, in one request: agents and what they do, the last line of each chat, what is unread, how much needs you.",
    roles: ONLOOKERS,
    unlisted: true,
    facets,
    input: GlanceAt,
    output: Glance,
    run: service.glance,
  }),
  defineTool({
    name: "space_delete",
    title: "Delete a space",
    description: "Ends a space now, with everything in it. It cannot be undone, and the id cannot be used again.",
    roles: MAKERS,
    facets,
    writes: true,
    scope: service.deletableSpace,
    commands: [
      {
        name: "space delete",
        summary: "delete a space and everything in it",
        people: true,
        examples: ["space delete sess_review", "space delete sess_review --yes", "space delete sess_review --dry-run"],
        words: { id: "its id, or how it begins" },
        names: { id: SPACE },
        asks: {
          question: "Delete {id} and everything in it? It cannot be brought back.",
          refused: "Nothing was deleted.",
        },
        dry_run: { says: "Would delete {id} and everything in it." },
        says: "Deleted {id} and everything in it.",
      },
    ],
    input: SpaceRef,
    output: Space,
    run: service.deleteSpace,
  }),
  defineTool({
    name: "space_open",
    title: "Open an archive",
    description:
      "Makes the space that what an archive held is read into, as `parley space open` does. It stays closed until all is there.",
    roles: ADMINS,
    unlisted: true,
    facets,
    writes: true,
    scope: () => HUB_SPACE,
    input: OpenSpace,
    output: Space,
    run: service.openArchive,
  }),
  defineTool({
    name: "space_fill",
    title: "Read rows of an archive",
    description: "Stores a page of the rows of an archive in the space that space_open made for it.",
    roles: ADMINS,
    unlisted: true,
    facets,
    writes: true,
    scope: service.openingSpace,
    input: FillSpace,
    output: Filled,
    run: service.fillSpace,
  }),
  defineTool({
    name: "space_finish",
    title: "Finish opening an archive",
    description: "Opens the space that an archive was read into, once every row of it is there.",
    roles: ADMINS,
    unlisted: true,
    facets,
    writes: true,
    scope: service.openingSpace,
    input: FinishSpace,
    output: Space,
    run: service.finishSpace,
  }),
];
