/**
 * Agents ask people. A question is answered once, by the first, and never by who asked; its state is its notice's. The
 * answer goes to the asker by itself, once. Silence is no answer. A workflow that pauses goes on exactly once, when
 * nothing is open that it waits for, whoever answers at the same time and whatever was killed meanwhile. See
 * docs/design/questions.md.
 */
import type { DueHandler } from "../../module.ts";
import { EXPIRE, RELAY } from "./service/due-kinds.ts";
import { expireQuestion } from "./service/ending.ts";
import { relayAnswer } from "./service/relaying.ts";
import { questionRetention } from "./service/retention.ts";

export { submit, submitTo } from "./service/answering.ts";
export { ask } from "./service/asking.ts";
export { dismiss, withdraw } from "./service/ending.ts";
export { pendingIn, TOPIC } from "./service/events.ts";
export { questionsExplain } from "./service/explaining.ts";
export { showForm, takeForm } from "./service/forms.ts";
export { answerForTrigger, answersForRun, handed, type TriggersAnswer, takeAnswer } from "./service/hearing.ts";
export { answerByMail } from "./service/mailing.ts";
export { questionNeeds, questionWaiting } from "./service/needs.ts";
export { notifications } from "./service/notified.ts";
export { check } from "./service/pausing.ts";
export { listAll, listAnswered, listPending, look, userAnswers } from "./service/reading.ts";
export { waitForCheckpoint, waitForQuestion } from "./service/waiting.ts";

export { questionRetention };

export const questionsDue: Record<string, DueHandler> = {
  [EXPIRE]: expireQuestion,
  [RELAY]: relayAnswer,
  ...questionRetention.due,
};
