/** Made by `npm run reference` from the commands that tools define; do not edit. */
import type { MadeCommand } from "./tool-command.ts";

export const MADE_NAMES: readonly Pick<MadeCommand, "name" | "summary" | "common">[] = [
  {
    "name": "ack",
    "summary": "say that a mail is dealt with"
  },
  {
    "name": "agent default",
    "summary": "choose the agent that people speak to when they name none"
  },
  {
    "name": "agent delete",
    "summary": "delete an agent"
  },
  {
    "name": "agent discover",
    "summary": "find agents by presence, project or name"
  },
  {
    "name": "agent list",
    "summary": "list the agents of a space"
  },
  {
    "name": "agent register",
    "summary": "make an agent known"
  },
  {
    "name": "agent whoami",
    "summary": "say which agent you are"
  },
  {
    "name": "archive",
    "summary": "put mail away"
  },
  {
    "name": "identity list",
    "summary": "list which session is which agent"
  },
  {
    "name": "later",
    "summary": "put off something that waits for you"
  },
  {
    "name": "mail release",
    "summary": "let agents that were stopped write to each other again"
  },
  {
    "name": "needs",
    "summary": "see what waits for you"
  },
  {
    "name": "notices",
    "summary": "see what people were told and asked"
  },
  {
    "name": "pause",
    "summary": "start no more programs in this space"
  },
  {
    "name": "receipts",
    "summary": "see how far mail came that you sent"
  },
  {
    "name": "resume",
    "summary": "start programs in this space again"
  },
  {
    "name": "runs list",
    "summary": "list what was started for triggers, tasks and mail"
  },
  {
    "name": "runs show",
    "summary": "show a run, with its attempts and what it printed"
  },
  {
    "name": "runs stop",
    "summary": "end a run"
  },
  {
    "name": "snooze",
    "summary": "have mail come back later"
  },
  {
    "name": "space create",
    "summary": "open a space"
  },
  {
    "name": "space delete",
    "summary": "delete a space and everything in it"
  },
  {
    "name": "space list",
    "summary": "list the spaces"
  },
  {
    "name": "subscribe",
    "summary": "follow a topic"
  },
  {
    "name": "task add",
    "summary": "give workers a task"
  },
  {
    "name": "task cancel",
    "summary": "take a task back"
  },
  {
    "name": "task done",
    "summary": "say that you did a task, with the result"
  },
  {
    "name": "task fail",
    "summary": "give a task back with what went wrong"
  },
  {
    "name": "task get",
    "summary": "look at a task, with every attempt and who waits for it"
  },
  {
    "name": "task list",
    "summary": "list tasks"
  },
  {
    "name": "task next",
    "summary": "take the next task"
  },
  {
    "name": "task requeue",
    "summary": "have dead tasks tried again"
  },
  {
    "name": "task stats",
    "summary": "count tasks by status and channel"
  },
  {
    "name": "task wakes",
    "summary": "list ends of tasks that triggers have not taken yet"
  },
  {
    "name": "token create",
    "summary": "give a person or an agent a credential",
    "common": true
  },
  {
    "name": "token list",
    "summary": "list the credentials"
  },
  {
    "name": "token revoke",
    "summary": "take a credential back"
  },
  {
    "name": "token rotate",
    "summary": "replace a credential by a new one"
  },
  {
    "name": "topics",
    "summary": "list the topics"
  },
  {
    "name": "trash",
    "summary": "throw mail away"
  },
  {
    "name": "trigger add",
    "summary": "make a trigger"
  },
  {
    "name": "trigger delete",
    "summary": "delete a trigger"
  },
  {
    "name": "trigger disable",
    "summary": "have a trigger fire no more"
  },
  {
    "name": "trigger edit",
    "summary": "change a trigger"
  },
  {
    "name": "trigger enable",
    "summary": "have a trigger fire again"
  },
  {
    "name": "trigger list",
    "summary": "list the triggers"
  },
  {
    "name": "trigger rotate",
    "summary": "give a webhook a new secret"
  },
  {
    "name": "trigger run",
    "summary": "fire a trigger by hand"
  },
  {
    "name": "trigger runs",
    "summary": "list when triggers fired, and what came of it"
  },
  {
    "name": "trigger show",
    "summary": "show a trigger, with its next slots and its address"
  },
  {
    "name": "trigger test",
    "summary": "see what a trigger would say, without firing it"
  },
  {
    "name": "unarchive",
    "summary": "take mail back into the inbox"
  },
  {
    "name": "unread",
    "summary": "mark mail as not read"
  },
  {
    "name": "unsubscribe",
    "summary": "follow a topic no longer"
  },
  {
    "name": "whoami",
    "summary": "say as whom you act"
  }
];
