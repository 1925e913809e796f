import type { ToolRoute } from "../../route.ts";

/** Spaces by the seeds' name for them: a session is created, looked at and ended. */
export const routes: readonly ToolRoute[] = [
  { method: "POST", path: "/sessions", summary: "Create a space", tool: "create_session", status: 201 },
  { method: "GET", path: "/sessions/:id", summary: "Look at a space", tool: "space_look", space: "id" },
  {
    method: "DELETE",
    path: "/sessions/:id",
    summary: "End a space, with everything in it",
    tool: "space_delete",
    space: "id",
    // It is ended once more from elsewhere.
    even_ended: true,
  },
];
