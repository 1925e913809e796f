import { defineTool } from "../../tool.ts";
import {
  Answer,
  ListNotices,
  Notice,
  NoticeList,
  NoticeRef,
  RaiseNotice,
  SettleNotice,
  WaitForNotice,
} from "./schema.ts";
import * as service from "./service.ts";

// For programs that act for an agent: a model speaks to people in the chat, and each tool it sees costs it tokens.
const agents = ["agent", "orchestrator", "worker"] as const;

export const tools = [
  defineTool({
    name: "notice_list",
    title: "List notices",
    description: "Lists what the people of this space were told and asked, newest first, and how it was answered.",
    roles: ["human", "admin", "observer"],
    effect: "read",
    input: ListNotices,
    output: NoticeList,
    run: service.list,
  }),
  defineTool({
    name: "notice_settle",
    title: "Answer a notice",
    description:
      "Answers a notice with one of its choices, or marks one without choices as done. The first answer counts; later ones fail with ALREADY_DECIDED and who was first.",
    roles: ["human", "admin"],
    effect: "write",
    input: SettleNotice,
    output: Notice,
    run: service.settle,
  }),
  defineTool({
    name: "notice_raise",
    title: "Tell or ask people",
    description:
      "Tells the people here something, once, or with choices asks them. Wait for the answer with notice_wait.",
    roles: agents,
    unlisted: true,
    effect: "write",
    input: RaiseNotice,
    output: Answer,
    run: service.raiseOwn,
  }),
  defineTool({
    name: "notice_wait",
    title: "Wait for an answer",
    description: "Returns once your notice is answered, or still open when the time is over.",
    roles: agents,
    unlisted: true,
    effect: "wait",
    input: WaitForNotice,
    output: Answer,
    run: service.waitFor,
  }),
  defineTool({
    name: "notice_withdraw",
    title: "Withdraw a notice",
    description: "Takes your open notice back. An answered one stays as it is.",
    roles: agents,
    unlisted: true,
    effect: "write",
    input: NoticeRef,
    output: Answer,
    run: service.withdraw,
  }),
];
