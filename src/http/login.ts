import type { IncomingMessage, ServerResponse } from "node:http";
import { z } from "zod";
import { type Ctx, systemActor } from "../context.ts";
import { HUB_SPACE } from "../db/open.ts";
import { ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { signIn, signOut } from "../modules/identity/index.ts";
import { answer } from "./answer.ts";
import { readJson } from "./body.ts";
import { OPEN_BODY } from "./body-limit.ts";
import { cookieName, setCookie } from "./cookie.ts";
import type { Guard } from "./guard.ts";
import type { Route } from "./router.ts";

/** `replace`: whoever is signed in has said that they want to be somebody else. */
const Login = z.strictObject({ code: z.string().min(1).max(200), replace: z.boolean().optional() });

const BROWSER = { door: "http", result: "ok" } as const;

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
      about: {
        summary: "Sign a browser in with a one-time code, for a cookie",
        body: Login,
        response: z.object({ principal: z.string(), expires_at: z.iso.datetime() }),
      },
      unpaced: true,
      open: async ({ request, response }) => {
        guard.checkPage(request);
        const login = Login.safeParse(await readJson(request, OPEN_BODY));
        if (!login.success) throw new ParleyError("INVALID_ARGUMENT", "The body is {code}: the one of the link.");
        const held = guard.session(request);
        const { token, principal, expires_at } = await signIn(ctx(), { ...login.data, held });
        give(request, response, token, Math.floor((Date.parse(expires_at) - hub.database.now()) / 1000));
        hub.log.info("a browser signed in", { principal });
        hub.audit.event({ ...BROWSER, op: "sign_in", agent: principal, address: request.socket.remoteAddress });
        await answer(response, { principal, expires_at });
      },
    },
    {
      method: "POST",
      path: "/logout",
      about: { summary: "Sign the browser out", response: z.object({ signed_out: z.literal(true) }) },
      open: async ({ request, response }) => {
        guard.checkPage(request);
        const held = guard.session(request);
        if (held !== undefined && (await signOut(ctx(), { held })))
          hub.audit.event({ ...BROWSER, op: "sign_out", address: request.socket.remoteAddress });
        give(request, response, "", 0);
        await answer(response, { signed_out: true });
      },
    },
  ];
}
