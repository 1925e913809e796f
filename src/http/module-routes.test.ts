import { createHmac, randomUUID } from "node:crypto";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { WebSocket } from "ws";
import { z } from "zod";
import { MAIN_SPACE } from "../db/open.ts";
import type { Module } from "../module.ts";
import { eachDatabase } from "../testing/hub.ts";

const SECRET = "a secret of both";
const MOST = 64;

/** What modules to come need: bytes that were signed, parameters, and a connection that stays. */
const bells = {
  name: "bells",
  servers: [],
  tools: [],
  tables: [],
  routes: [
    {
      method: "POST",
      path: "/api/bells/:tower/:bell",
      summary: "Ring a bell",
      most_bytes: MOST,
      response: z.object({ rung: z.string() }),
      open: async (ctxOf, { params, query, header, bytes }) => {
        if (header("x-signature") !== createHmac("sha256", SECRET).update(bytes).digest("hex"))
          return { status: 401, body: { error: "Invalid signature" } };
        const { actor } = ctxOf(MAIN_SPACE);
        const rung = [params.tower, params.bell, query.get("how"), bytes.toString("latin1"), actor.name].join("|");
        return { status: 202, body: { rung } };
      },
    },
    {
      path: "/bells/:tower/live",
      summary: "Hear the bells",
      given_by: [],
      connect: async (ctx, { params, query }) => {
        let say: ((message: object) => void) | undefined;
        return {
          opened: (socket) => {
            say = socket.send;
            say({ tower: params.tower, for: ctx.actor.name, space: ctx.actor.space_id, how: query.get("how") });
          },
          message: (text) => {
            if (text === "fail") throw new Error("a crack in the bell");
            say?.({ heard: text });
          },
          closed: () => void closed.push(ctx.actor.name),
        };
      },
    },
  ],
} satisfies Module;
const closed: string[] = [];

const sign = (bytes: string | Buffer): string => createHmac("sha256", SECRET).update(bytes).digest("hex");

eachDatabase((openHub, database) => {
  const open = async () => {
    const hub = await openHub({ modules: [bells] });
    const live = async (token: string, path = "/bells/north/live") => {
      const ws = new WebSocket(hub.url.replace("http", "ws") + path, { headers: { authorization: `Bearer ${token}` } });
      onTestFinished(() => ws.terminate());
      const told: unknown[] = [];
      ws.on("message", (data) => told.push(JSON.parse(String(data))));
      await once(ws, "open");
      return { ws, told };
    };
    return { hub, live };
  };

  test("a module's address gets its parameters and the bytes as they came", async () => {
    const { hub } = await open();
    const body = Buffer.from([0x7b, 0x20, 0xff, 0x7d]);
    const ring = (headers: Record<string, string>, bytes: Buffer) =>
      fetch(`${hub.url}/api/bells/north/big%2Fone?how=loud`, { method: "POST", headers, body: bytes });
    const rung = await ring({ "x-signature": sign(body) }, body);
    expect([rung.status, await rung.json()]).toEqual([202, { rung: "north|big/one|loud|{ \u00ff}|hub" }]);
    const forged = await ring({ "x-signature": sign("{ }") }, body);
    expect([forged.status, await forged.json()]).toEqual([401, { error: "Invalid signature" }]);
    const long = Buffer.alloc(MOST + 1);
    const refused = await ring({ "x-signature": sign(long) }, long);
    expect([refused.status, await refused.json()]).toMatchObject([413, { code: "BODY_TOO_LARGE" }]);
    const contract = (await hub.request("GET", "/openapi.json")).body.paths["/api/bells/{tower}/{bell}"].post;
    expect(contract.parameters.map(({ name }: { name: string }) => name)).toEqual(["tower", "bell"]);
    expect(contract.security).toEqual([]);
  });

  test("a module's WebSocket opens for who may, in the space they name, and hears what they say", async () => {
    const { hub, live } = await open();
    const ana = await hub.token("human", "ana");
    const { ws, told } = await live(ana, "/bells/north/live?how=soft");
    ws.send("ding");
    await expect
      .poll(() => told)
      .toEqual([{ tower: "north", for: "ana", space: MAIN_SPACE, how: "soft" }, { heard: "ding" }]);
    const { body: space } = await hub.call(hub.admin, "space_create", {});
    const other = await live(hub.admin, `/bells/north/live?space=${space.session_id ?? space.id}`);
    await expect.poll(() => other.told).toMatchObject([{ space: space.session_id ?? space.id }]);
  });

  // The rest is decided by what was sent, whichever database there is.
  if (database !== "sqlite") return;

  test("whoever may not open a WebSocket is told why, and nothing is opened", async () => {
    const { hub } = await open();
    const ana = await hub.token("human", "ana");
    const refusal = async (path: string, headers: Record<string, string>) => {
      const ws = new WebSocket(hub.url.replace("http", "ws") + path, { headers });
      ws.on("error", () => {});
      const [, response] = await once(ws, "unexpected-response");
      const chunks = await response.toArray();
      return [response.statusCode, JSON.parse(Buffer.concat(chunks).toString()).code];
    };
    const authorization = `Bearer ${ana}`;
    expect(await refusal("/bells/north/live", {})).toEqual([401, "UNAUTHENTICATED"]);
    expect(await refusal("/bells/north/live", { authorization, origin: "http://evil.example" })).toEqual([
      403,
      "ORIGIN_DENIED",
    ]);
    expect(await refusal(`/bells/north/live?space=${randomUUID()}`, { authorization })).toEqual([
      404,
      "SESSION_NOT_FOUND",
    ]);
    expect(await refusal("/livez/north/live", { authorization })).toEqual([404, "NOT_FOUND"]);
    const plain = await hub.request("GET", "/bells/north/live", { token: ana });
    expect([plain.status, plain.body.code]).toEqual([400, "INVALID_REQUEST"]);
    expect(hub.hub.streams.count(({ kind }) => kind === "socket")).toBe(0);
  });

  test("a WebSocket ends with its token, and what fails in it ends it alone", async () => {
    const { hub, live } = await open();
    const [ana, bob] = [await hub.token("human", "ana"), await hub.token("human", "bob")];
    const [anas, bobs] = [await live(ana), await live(bob)];
    const failed = once(anas.ws, "close");
    anas.ws.send("fail");
    expect((await failed)[0]).toBe(1011);
    bobs.ws.send("still here");
    await expect.poll(() => bobs.told.at(-1)).toEqual({ heard: "still here" });
    const ended = once(bobs.ws, "close");
    const { body } = await hub.call(hub.admin, "token_list", {});
    const [token] = body.tokens.filter(({ principal }: { principal: string }) => principal === "bob");
    await hub.call(hub.admin, "token_revoke", { id: token.id });
    await ended;
    await expect.poll(() => [...closed].sort()).toEqual(expect.arrayContaining(["ana", "bob"]));
    expect(hub.hub.streams.count(({ kind }) => kind === "socket")).toBe(0);
  });

  test("what is no text, and what is too long, closes the WebSocket it came on", async () => {
    const { hub, live } = await open();
    const ana = await hub.token("human", "ana");
    const says = async (message: string | Buffer) => {
      const { ws } = await live(ana);
      const close = once(ws, "close");
      ws.send(message);
      return (await close)[0];
    };
    expect(await says(Buffer.from([1, 2]))).toBe(1003);
    expect(await says("x".repeat(64 * 1024 + 1))).toBe(1009);
  });

  test("a hub that stops says goodbye on its WebSockets", async () => {
    const { hub, live } = await open();
    const { ws } = await live(await hub.token("human", "ana"));
    const close = once(ws, "close");
    await hub.stop();
    expect((await close)[0]).toBe(1001);
  });
});
