/** What MCP clients hear of questions, by names like those that the seed gave to the rest of the workspace. */
import { QUESTION_READERS } from "../../../context.ts";
import type { EventView } from "../../../feed/index.ts";
import type { Notification } from "../../../module.ts";
import { TOPIC } from "./events.ts";

const notification = (name: string, type: string, params: EventView): Notification => ({
  name: `scratchpad/${name}`,
  place: { topic: TOPIC, types: [type] },
  roles: QUESTION_READERS,
  params,
});

export const notifications: readonly Notification[] = [
  notification("question_added", "question.added", ({ data }) => {
    const { question_id, question, asked_by, priority, blocking } = data;
    return { question_id, question, asked_by, priority, blocking };
  }),
  notification("question_answered", "question.answered", ({ data: { question_id, asked_by } }) => ({
    question_id,
    asked_by,
  })),
  notification("question_closed", "question.closed", ({ data: { question_id, asked_by, state } }) => ({
    question_id,
    asked_by,
    state,
  })),
  notification("questions_pending", "checkpoint.paused", ({ data: { checkpoint_id, questions } }) => ({
    checkpoint_id,
    questions,
  })),
];
