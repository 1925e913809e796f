import type { ToolRoute } from "../../route.ts";

export const routes: readonly ToolRoute[] = [
  {
    method: "POST",
    path: "/sessions/:id/answers",
    summary: "Answer the questions of a space",
    tool: "checkpoint_answer",
    space: "id",
  },
];
