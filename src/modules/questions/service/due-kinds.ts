/** Whether a question's time is over. */
export const EXPIRE = "question.expire";
/** An answer is on its way to who asked. */
export const RELAY = "question.relay";
