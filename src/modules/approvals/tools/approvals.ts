import { ONLOOKERS, PEOPLE } from "../../../context.ts";
import { defineTool, type Facet, type Lookup } from "../../../tool.ts";
import {
  Approval,
  ApprovalList,
  ApprovalRef,
  DecideApproval,
  DecidedSeveral,
  DecideSeveral,
  ListApprovals,
} from "../schema.ts";
import * as service from "../service.ts";

const facets: readonly Facet[] = ["approvals"];

/** What a command's word names. */
const APPROVAL: Lookup = {
  what: "approval",
  tool: "approval_list",
  list: "approvals",
  short: true,
  before: "before",
  code: "APPROVAL_NOT_FOUND",
};

export const tools = [
  defineTool({
    name: "approval_list",
    title: "List approvals",
    description:
      "Lists the tool calls that agents asked for, newest first: what was decided, by whom, and how it ended.",
    roles: ONLOOKERS,
    facets,
    commands: [
      {
        name: "approvals list",
        summary: "list what agents asked to do, and what was decided",
        people: true,
        examples: ["approvals list", "approvals list --state pending", "approvals list --agent scout --limit 5"],
        details: "Newest first. What waits for you is also in: parley needs",
        rows: {
          list: "approvals",
          columns: [
            "id",
            "agent",
            "called_by",
            "server",
            "tool",
            "state",
            "outcome",
            "decided_by",
            "decided_via",
            "reason",
            "requested_at",
          ],
          none: "Nothing was asked.",
          more: "before",
        },
        id: "id",
      },
    ],
    input: ListApprovals,
    output: ApprovalList,
    run: service.list,
  }),
  defineTool({
    name: "approval_get",
    title: "Look at an approval",
    description: "Shows one tool call that an agent asked for, with all its arguments and its digest.",
    roles: ONLOOKERS,
    facets,
    commands: [
      {
        name: "approvals show",
        summary: "see all of a call that an agent asked for",
        people: true,
        examples: ["approvals show latest"],
        words: { id: "its id, as short as names one, or latest" },
        names: { id: APPROVAL },
        id: "id",
      },
    ],
    input: ApprovalRef,
    output: Approval,
    run: service.get,
  }),
  defineTool({
    name: "approval_decide",
    title: "Decide about a call",
    description:
      "Approves or denies exactly the call whose digest you name. The first decision counts; later ones fail with ALREADY_DECIDED and who was first.",
    roles: PEOPLE,
    facets,
    writes: true,
    input: DecideApproval,
    output: Approval,
    run: service.decide,
  }),
  defineTool({
    name: "approval_decide_several",
    title: "Decide about several calls",
    description: "The same decision about several calls. Gives those that were decided, and why others were not.",
    roles: PEOPLE,
    facets,
    writes: true,
    input: DecideSeveral,
    output: DecidedSeveral,
    run: service.decideSeveral,
  }),
];
