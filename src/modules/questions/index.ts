import type { Module } from "../../module.ts";
import { resources } from "./resources.ts";
import { routes } from "./routes.ts";
import * as service from "./service.ts";
import { tools } from "./tools.ts";

export { State as QuestionState } from "./schema.ts";
export {
  answerForTrigger,
  answersForRun,
  look as findQuestion,
  TOPIC as QUESTIONS,
  type TriggersAnswer,
  takeAnswer,
} from "./service.ts";

export const questions = {
  name: "questions",
  servers: [],
  tools,
  resources,
  routes,
  notifications: service.notifications,
  topics: [
    { name: service.TOPIC, given_by: ["get_all_questions"], streams: async () => null, also: service.pendingIn },
  ],
  needs: service.questionNeeds,
  explains: service.questionsExplain,
  waiting: service.questionWaiting,
  sections: [{ section_id: "user_answers", title: "User answers", read: service.userAnswers, topic: service.TOPIC }],
  due: service.questionsDue,
  plan: service.questionRetention.plan,
  with: { "mail.sent": service.answerByMail },
  tables: ["questions", "checkpoints", "checkpoint_questions", "workflow_phases"],
  long_tables: ["questions"],
} satisfies Module;
