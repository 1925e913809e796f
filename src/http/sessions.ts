import type { IncomingMessage } from "node:http";
import { ParleyError } from "../errors.ts";
import { header } from "../header.ts";
import type { Hub } from "../hub.ts";
import { getSpace } from "../modules/identity/index.ts";
import { answer } from "./answer.ts";
import type { Guard } from "./guard.ts";
import type { Route } from "./router.ts";

/** Spaces by the seeds' name for them: a session is created, looked at and ended. */
export function sessionRoutes(hub: Hub, guard: Guard): Route[] {
  const options = (request: IncomingMessage) =>
    ({ door: "http", idempotency_key: header(request, "idempotency-key") }) as const;
  return [
    {
      method: "POST",
      path: "/sessions",
      handle: async ({ request, response, body }, actor) => {
        const tool = hub.tools.find("space_create");
        await answer(response, await hub.call(actor, tool, body, options(request)), 201);
      },
    },
    {
      method: "GET",
      path: "/sessions/*",
      // Entering the space is the check: whoever may not is told what an unknown one is told.
      open: async ({ request, response, rest }) => {
        const actor = await hub.credentials.authenticate({ ...guard.credential(request), space_id: rest });
        hub.limit.take(actor.principal_id);
        await answer(response, await getSpace(hub.ctx(actor), { id: actor.space_id }));
      },
    },
    {
      method: "DELETE",
      path: "/sessions/*",
      // The path names the space. One that has ended is entered by nobody: it is ended once more from elsewhere.
      open: async ({ request, response, rest }) => {
        const credential = guard.credential(request);
        const actor = await hub.credentials.authenticate({ ...credential, space_id: rest }).catch((error: unknown) => {
          if (!(error instanceof ParleyError && error.code === "SESSION_EXPIRED")) throw error;
          return hub.credentials.authenticate(credential).catch(() => Promise.reject(error));
        });
        const tool = hub.tools.find("space_delete");
        await answer(response, await hub.call(actor, tool, { id: rest }, options(request)));
      },
    },
  ];
}
