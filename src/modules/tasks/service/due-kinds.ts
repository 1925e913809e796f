/** Leases that end and tasks whose time comes: one row a space. */
export const SWEEP = "task.sweep";
/** Sends the result of a task to who asked for it. */
export const RELAY = "task.relay";
/** Mails the end of a task to somebody who waited for it and does not wait any more. */
export const TELL = "task.tell";
/** The file that wakes a trigger. */
export const WAKE = "task.wake";
/** Whether somebody offers what tasks need. */
export const UNMET = "task.unmet";
/** The next of many dead tasks that are to be tried again. */
export const REQUEUE = "task.requeue";
/** Tasks that have been over for long. */
export const PURGE = "task.purge";
