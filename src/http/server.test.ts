import { connect } from "node:net";
import { beforeEach, expect, test, vi } from "vitest";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { RawConnection } from "../testing/raw-http.ts";

eachDatabase((open) => {
  let hub: TestHub;
  let ana: string;
  beforeEach(async () => {
    hub = await open();
    ana = await hub.token("human", "ana");
  });

  const opening = (path: string, length: number): string =>
    `POST ${path} HTTP/1.1\r\nHost: ${new URL(hub.url).host}\r\nAuthorization: Bearer ${ana}\r\nContent-Length: ${length}\r\n\r\n`;

  test("a hub that stops finishes what has begun, refuses what comes after it, and takes no new connections", async () => {
    using begun = await RawConnection.open(hub.url);
    begun.send(`${opening("/api/tools/chat_human_post", 20)}{"content":`);
    using late = await RawConnection.open(hub.url);
    late.send("POST /api/tools/whoami HTTP/1.1\r\n");
    // Answered on another connection after them: so they have been let in.
    await hub.call(ana, "whoami");
    const stopped = hub.stop();
    await vi.waitFor(() => expect(isOpen(hub.url)).resolves.toBe(false), { timeout: 90_000 });

    begun.send('"begun "}');
    late.send(opening("/", 0).replace("POST / HTTP/1.1\r\n", ""));
    const [first, second] = [await begun.answer(), await late.answer()];
    await stopped;

    expect([first.status, Object.keys(first.json)]).toEqual([200, ["id", "ts"]]);
    expect([second.status, second.json.code, second.headers.connection]).toEqual([503, "SHUTTING_DOWN", "close"]);
    hub = await open({ same: hub });
    const { body } = await hub.call(ana, "chat_read_since");
    expect(body.messages.map(({ content }: { content: string }) => content)).toEqual(["begun "]);
  });

  test("a connection that a browser opened ahead and never used does not keep a hub from stopping", async () => {
    using _unused = await RawConnection.open(hub.url);
    await hub.call(ana, "whoami");
    const started = performance.now();
    await hub.stop();
    // What is busy is waited for ten seconds.
    expect(performance.now() - started).toBeLessThan(9000);
  });

  test("IDENTITY-6: a token that is revoked while its request is still arriving does nothing any more", async () => {
    using slow = await RawConnection.open(hub.url);
    slow.send(`${opening("/api/tools/chat_human_post", 20)}{"content":`);
    await hub.call(ana, "whoami");
    const { body } = await hub.call(hub.admin, "token_list");
    const { id } = body.tokens.find(({ principal }: { principal: string }) => principal === "ana");
    await hub.call(hub.admin, "token_revoke", { id });

    slow.send('"late! "}');
    expect((await slow.answer()).json.code).toBe("UNAUTHENTICATED");
    expect((await hub.call(hub.admin, "chat_read_since")).body.messages).toEqual([]);
  });

  test("SPACE-6: what was let in before a space ended is refused, not stored where nobody finds it", async () => {
    await hub.call(hub.admin, "space_create", { id: "sess_gone" });
    const ben = await hub.token("human", "ben", "sess_gone");
    const ctx = await hub.as(ben);
    await hub.call(hub.admin, "space_delete", { id: "sess_gone" });

    const late = hub.hub.call(ctx.actor, hub.hub.tools.find("chat_human_post"), { content: "x" }, { door: "internal" });
    await expect(late).rejects.toMatchObject({ code: "SESSION_EXPIRED" });
  });
});

const isOpen = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname, () => {
      socket.destroy();
      resolve(true);
    });
    socket.on("error", () => resolve(false));
  });
