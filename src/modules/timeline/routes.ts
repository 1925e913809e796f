import type { ModuleRoute } from "../../route.ts";
import { connectTimeline } from "./service.ts";

export const routes: readonly ModuleRoute[] = [
  {
    path: "/ws",
    summary: "Follow what an agent says and does",
    query: { agent: "Which agent; the space's default one if left out." },
    given_by: ["timeline_read"],
    connect: (ctx, { query }, listen) => connectTimeline(ctx, query.get("agent") ?? undefined, listen),
  },
];
