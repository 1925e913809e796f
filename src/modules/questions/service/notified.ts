/** What MCP clients hear of questions, by names like those that the seed gave to the rest of the workspace. */
import { QUESTION_READERS } from "../../../context.ts";
import { type Notification, notificationsFor } from "../../../module.ts";
import { checkpointPaused, questionAdded, questionAnswered, questionClosed } from "./events.ts";

const notification = notificationsFor("scratchpad", QUESTION_READERS, ["get_all_questions"]);

export const notifications: readonly Notification[] = [
  notification("question_added", questionAdded, (data) => data),
  notification("question_answered", questionAnswered, ({ question_id, asked_by }) => ({ question_id, asked_by })),
  notification("question_closed", questionClosed, (data) => data),
  notification("questions_pending", checkpointPaused, ({ checkpoint_id, questions }) => ({ checkpoint_id, questions })),
];
