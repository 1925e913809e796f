import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { type Ctx, systemActor } from "../context.ts";
import { HUB_SPACE } from "../db/open.ts";
import { ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { signIn, signOut } from "../modules/identity/index.ts";
import { answer } from "./answer.ts";
import { readJson } from "./body.ts";
import { cookieName, setCookie } from "./cookie.ts";
import type { Guard } from "./guard.ts";
import type { Route } from "./router.ts";

const Login = z.strictObject({ code: z.string().min(1).max(200) });

/** How a browser signs in and out: a code for a cookie. See docs/design/login.md. */
export function loginRoutes(hub: Hub, guard: Guard): Route[] {
  const name = cookieName(hub.database.epoch);
  const ctx = (): Ctx => hub.ctx(systemActor(HUB_SPACE));
  const give = (request: IncomingMessage, response: ServerResponse, value: string, max_age: number): void => {
    response.setHeader("set-cookie", setCookie(request, { name, value, max_age }));
  };
  return [
    {
      method: "POST",
      path: "/login",
      open: async ({ request, response }) => {
        guard.checkPage(request);
        const login = Login.safeParse(await readJson(request));
        if (!login.success) throw new ParleyError("INVALID_ARGUMENT", "The body is {code}: the one of the link.");
        const held = guard.session(request);
        const { token, principal, expires_at } = await signIn(ctx(), { ...login.data, held });
        give(request, response, token, Math.floor((Date.parse(expires_at) - hub.database.now()) / 1000));
        hub.log.info("a browser signed in", { principal });
        await answer(response, { principal, expires_at });
      },
    },
    {
      method: "POST",
      path: "/logout",
      open: async ({ request, response }) => {
        guard.checkPage(request);
        const held = guard.session(request);
        if (held !== undefined) await signOut(ctx(), { held });
        give(request, response, "", 0);
        await answer(response, { signed_out: true });
      },
    },
  ];
}
