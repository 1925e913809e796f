import { AGENTS, ONLOOKERS, PEOPLE } from "../../context.ts";
import { defineTool, type Lookup } from "../../tool.ts";
import {
  Answer,
  IsPutOff,
  ListNeeds,
  ListNotices,
  NeedList,
  Notice,
  NoticeList,
  NoticeRef,
  PutOff,
  RaiseNotice,
  SettleNotice,
  WaitForNotice,
} from "./schema.ts";
import * as service from "./service.ts";

/** What a command's word names. */
const NEED: Lookup = {
  what: "thing that waits for you",
  tool: "need_list",
  args: { limit: 100 },
  list: "needs",
  short: true,
};

// For programs that act for an agent: a model speaks to people in the chat, and each tool it sees costs it tokens.

export const tools = [
  defineTool({
    name: "need_list",
    title: "List what needs you",
    description:
      "Lists what waits for you, newest first: what agents ask, what the hub tells, and mail that waits for your answer.",
    roles: ONLOOKERS,
    facets: ["approvals"],
    core: true,
    commands: [
      {
        name: "needs",
        summary: "see what waits for you",
        people: true,
        examples: ["needs", "needs --everywhere", "needs --limit 5 --before 1760000000000000"],
        details:
          "What agents ask, what the hub has to tell, and mail that waits for your answer: the list the page shows.",
        rows: {
          list: "needs",
          none: "Nothing waits for you.",
          block: {
            about: [
              "{id}",
              "{kind}",
              [{ when: { from: null }, says: "from the hub" }, { says: "from {from}" }],
              "[in {space}]",
              "{asked_at}",
            ],
            title: "{title}",
            text: "text",
            below: [
              "[Choices: {choices}]",
              [{ when: { kind: "runs.failing" }, says: "To see it: `runs show {ref}[ --space {space}]`" }],
              [
                {
                  when: { tool: "mail_reply" },
                  says: "To deal with it: `reply {id} --body TEXT[ --space {space}]`",
                },
                {
                  when: { tool: "approval_decide" },
                  says: "To deal with it: `approvals decide approve {id}[ --space {space}]`, or deny in the place of approve",
                },
                {
                  when: { tool: "policy_decide" },
                  says: "To deal with it: `policy decide accept {id}[ --space {space}]`, or reject in the place of accept",
                },
                { when: { tool: "submit_answers" }, says: "To deal with it: `answer {id} TEXT[ --space {space}]`" },
                { when: { choices: null }, says: "To deal with it: `notice settle {id}[ --space {space}]`" },
                { says: "To deal with it: `notice settle {id} --choice CHOICE[ --space {space}]`" },
              ],
            ],
          },
          more: "before",
        },
        id: "id",
      },
    ],
    input: ListNeeds,
    output: NeedList,
    run: service.listNeeds,
  }),
  defineTool({
    name: "need_later",
    title: "Put something off",
    description:
      "Takes something out of your need_list until a time. Others still see it; whoever asks is told `pending`, and still waits.",
    roles: PEOPLE,
    facets: ["approvals"],
    writes: true,
    commands: [
      {
        name: "later",
        summary: "put off something that waits for you",
        people: true,
        examples: ["later 1760000000000000 2h", "later 1760000000000000 2027-03-01T09:00:00Z"],
        details: "Others still see it, and whoever asks still waits.",
        words: {
          id: "its id, as needs shows it",
          until: "until when: 30m, 2h, 3d or ISO time; now takes it back",
        },
        names: { id: NEED },
        says: [{ when: { until: null }, says: "Back in your list." }, { says: "Out of your list until {until}." }],
        id: "id",
      },
    ],
    input: PutOff,
    output: IsPutOff,
    run: service.putOff,
  }),
  defineTool({
    name: "notice_list",
    title: "List notices",
    description: "Lists what the people of this space were told and asked, newest first, and how it was answered.",
    roles: ONLOOKERS,
    facets: ["approvals"],
    commands: [
      {
        name: "notices",
        summary: "see what people were told and asked",
        people: true,
        examples: ["notices", "notices --limit 5 --before 1760000000000000"],
        details: "Newest first, with how each was answered. What waits for you is in: parley needs",
        without: ["open"],
        rows: {
          list: "notices",
          none: "There are no notices.",
          block: {
            about: [
              "{id}",
              "{kind}",
              [{ when: { raised_by: null }, says: "from the hub" }, { says: "from {raised_by}" }],
              "{raised_at}",
              [{ when: { state: "open" }, says: "" }, { says: "{state}[ {choice}][ by {settled_by}]" }],
            ],
            title: "{title}",
            text: "text",
            below: [[{ when: { state: "open" }, says: "[Choices: {choices}]" }]],
          },
          more: "before",
        },
        id: "id",
      },
    ],
    input: ListNotices,
    output: NoticeList,
    run: service.list,
  }),
  defineTool({
    name: "notice_settle",
    title: "Answer a notice",
    description:
      "Answers a notice with one of its choices, or marks one without choices as done. The first answer counts; later ones fail with ALREADY_DECIDED and who was first.",
    roles: PEOPLE,
    facets: ["approvals"],
    writes: true,
    core: true,
    input: SettleNotice,
    output: Notice,
    run: service.settle,
  }),
  defineTool({
    name: "notice_raise",
    title: "Tell or ask people",
    description:
      "Tells the people here something, once, or with choices asks them. Wait for the answer with notice_wait.",
    roles: AGENTS,
    unlisted: true,
    writes: true,
    input: RaiseNotice,
    output: Answer,
    run: service.raiseOwn,
  }),
  defineTool({
    name: "notice_wait",
    title: "Wait for an answer",
    description: "Returns once your notice is answered, or still open when the time is over.",
    roles: AGENTS,
    unlisted: true,
    waits: { isPending: ({ state }) => state === "open", place: ({ id }) => id },
    input: WaitForNotice,
    output: Answer,
    run: service.waitFor,
  }),
  defineTool({
    name: "notice_withdraw",
    title: "Withdraw a notice",
    description: "Takes your open notice back. An answered one stays as it is.",
    roles: AGENTS,
    unlisted: true,
    writes: true,
    input: NoticeRef,
    output: Answer,
    run: service.withdraw,
  }),
];
