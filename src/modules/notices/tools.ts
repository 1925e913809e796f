import { AGENTS, ONLOOKERS, PEOPLE } from "../../context.ts";
import { defineTool } from "../../tool.ts";
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
