import { z } from "zod";
import { type Actor, has } from "../context.ts";
import { ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { answer } from "./answer.ts";
import type { Route } from "./router.ts";

const MOST_LINES = 1000;

const VERDICT = z.object({
  ok: z.boolean(),
  lines: z.int(),
  first_seq: z.int().nullable(),
  last_seq: z.int().nullable(),
  problems: z.array(z.object({ seq: z.int(), file: z.string(), problem: z.string() })),
});

/** The audit of this node, to read and to check. It is the whole hub's, and so for who looks after all of it. */
export function auditRoutes(hub: Hub): Route[] {
  const admit = (actor: Actor): void => {
    hub.limit.take(actor.principal_id);
    if (!has(actor, "admin")) throw new ParleyError("FORBIDDEN", "The audit is for admin.");
  };
  return [
    {
      method: "GET",
      path: "/api/audit",
      about: {
        summary: "See who did what last, as an admin",
        query: { limit: "How many lines, at most 1000; 20 without it." },
        response: z.object({ lines: z.array(z.record(z.string(), z.unknown())) }),
      },
      handle: async ({ response, query }, actor) => {
        admit(actor);
        const limit = Number(query.get("limit") ?? 20);
        if (!Number.isInteger(limit) || limit < 1 || limit > MOST_LINES)
          throw new ParleyError("INVALID_ARGUMENT", `limit: a number from 1 to ${MOST_LINES}.`);
        await answer(response, { lines: await hub.audit.tail(limit) });
      },
    },
    {
      method: "GET",
      path: "/api/audit/verify",
      about: { summary: "Check that nobody changed or cut the audit, as an admin", response: VERDICT },
      handle: async ({ response }, actor) => {
        admit(actor);
        await answer(response, await hub.audit.verify());
      },
    },
  ];
}
