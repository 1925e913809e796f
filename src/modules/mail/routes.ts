import type { ToolRoute } from "../../route.ts";
import type { Action } from "./schema.ts";

/** What `POST /api/messages/<id>/<action>` does to a copy. */
const ACTIONS = ["read", "unread", "ack", "archive", "trash", "inbox", "snooze"] as const satisfies Action[];

/**
 * Mail by the addresses of the seed. Whose mailbox it is about is said with `agent`, in the query or in the body;
 * without it, it is the caller's own. Looking marks nothing.
 */
export const routes: readonly ToolRoute[] = [
  { method: "GET", path: "/api/messages", summary: "List mail", tool: "mail_inbox", translate: listed },
  { method: "POST", path: "/api/messages", summary: "Send mail", tool: "mail_send", status: 201 },
  {
    method: "GET",
    path: "/api/messages/:id",
    summary: "Look at a mail, without marking it",
    tool: "mail_look",
  },
  { method: "GET", path: "/api/messages/:id/status", summary: "See how far mail came", tool: "mail_status" },
  { method: "POST", path: "/api/messages/:id/reply", summary: "Answer mail", tool: "mail_reply", status: 201 },
  ...ACTIONS.map(
    (action): ToolRoute => ({
      method: "POST",
      path: `/api/messages/:id/${action}`,
      summary: `Change your copy: ${action}`,
      tool: "mail_update",
      fixed: { action },
      without: ["ids"],
    }),
  ),
  { method: "GET", path: "/api/thread/:id", summary: "Read a thread", tool: "mail_thread" },
];

/** Also in the words of other hubs: `state` for the folder, where `unread` is one, and `page_token` for `before`. */
function listed({ state, page_token, ...args }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...(state === "unread" ? { unread: true } : state !== undefined && { folder: state }),
    ...(page_token !== undefined && { before: page_token }),
    ...args,
  };
}
