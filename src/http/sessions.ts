import type { IncomingMessage } from "node:http";
import type { Hub } from "../hub.ts";
import { getSpace } from "../modules/identity/index.ts";
import { answer } from "./answer.ts";
import { readJson } from "./body.ts";
import type { Guard } from "./guard.ts";
import { header } from "./header.ts";
import type { Route } from "./router.ts";

/** Spaces by the seeds' name for them: a session is created, looked at and ended. */
export function sessionRoutes(hub: Hub, guard: Guard): Route[] {
  const options = (request: IncomingMessage) =>
    ({ door: "http", idempotency_key: header(request, "idempotency-key") }) as const;
  return [
    {
      method: "POST",
      path: "/sessions",
      handle: async ({ request, response }, actor) => {
        const tool = hub.tools.find("space_create");
        await answer(response, await hub.call(actor, tool, await readJson(request), options(request)), 201);
      },
    },
    {
      method: "GET",
      path: "/sessions/*",
      // Entering the space is the check: whoever may not is told what an unknown one is told.
      open: async ({ request, response, rest }) => {
        const actor = await hub.credentials.authenticate({ ...guard.credential(request), space_id: rest });
        await answer(response, await getSpace(hub.ctx(actor), { id: actor.space_id }));
      },
    },
    {
      method: "DELETE",
      path: "/sessions/*",
      handle: async ({ request, response, rest }, actor) => {
        const tool = hub.tools.find("space_delete");
        await answer(response, await hub.call(actor, tool, { id: rest }, options(request)));
      },
    },
  ];
}
