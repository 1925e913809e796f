import { renameSync, rmSync, writeFileSync } from "node:fs";
import { beforeAll, expect, test } from "vitest";
import { MIGRATIONS } from "../db/migrations/index.ts";
import { onSharedHub } from "../testing/shared-hub.ts";

onSharedHub((shared) => {
  let ana: string;
  let olga: string;
  beforeAll(async () => {
    ana = await shared.hub.token("human", "ana");
    olga = await shared.hub.token("observer", "olga");
  });

  test("/livez and /readyz answer to anybody who reaches them, and tell nothing more", async () => {
    expect((await shared.hub.request("GET", "/livez")).body).toEqual({ status: "alive" });
    const { status, body } = await shared.hub.request("GET", "/readyz");
    expect([status, body]).toEqual([200, { status: "ready" }]);
  });

  test("/readyz?verbose tells each check to whoever has a token", async () => {
    expect((await shared.hub.request("GET", "/readyz?verbose")).status).toBe(401);
    const { body } = await shared.hub.request("GET", "/readyz?verbose", { token: ana });
    expect(body).toEqual({
      status: "ready",
      version: shared.hub.hub.version,
      backend: shared.hub.hub.database.backend,
      epoch: shared.hub.hub.database.epoch,
      durability: "full",
      checks: { hub: "ok", database: "ok", disk: "ok" },
      oldest_snapshot_seconds: expect.any(Number),
      wake_folder: "ok",
    });
  });

  test("a wake folder that cannot be written to is told, and makes no hub unready", async () => {
    const { wake_dir } = shared.hub.hub.config;
    rmSync(wake_dir, { recursive: true, force: true });
    const look = async () => (await shared.hub.request("GET", "/readyz?verbose", { token: ana })).body;
    expect((await look()).wake_folder).toBe("ok");
    writeFileSync(wake_dir, "");
    const told = await look();
    rmSync(wake_dir);
    expect([told.status, told.wake_folder]).toEqual(["ready", "it is no folder."]);
  });

  test("a hub whose data folder is gone is alive, but not ready", async () => {
    const { home } = shared.hub;
    renameSync(home, `${home}-away`);
    const { status, body } = await shared.hub.request("GET", "/readyz?verbose", { token: ana });
    const live = await shared.hub.request("GET", "/livez");
    renameSync(`${home}-away`, home);
    expect([live.status, status, body.status]).toEqual([200, 503, "not ready"]);
    expect(body.checks.disk).toContain("the data folder is gone");
    expect((await shared.hub.request("GET", "/readyz")).status).toBe(200);
  });

  const metrics = async (): Promise<string> => (await shared.hub.request("GET", "/metrics", { token: olga })).body;

  test("/metrics is for admin and observer", async () => {
    expect((await shared.hub.request("GET", "/metrics")).status).toBe(401);
    const { status, body } = await shared.hub.request("GET", "/metrics", { token: ana });
    expect([status, body.code]).toEqual([403, "FORBIDDEN"]);
    for (const token of [olga, shared.hub.admin])
      expect((await shared.hub.request("GET", "/metrics", { token })).status).toBe(200);
  });

  test("/metrics is the whole hub's, and so not for who observes another space than main", async () => {
    await shared.hub.call(shared.hub.admin, "space_create", { id: "sess_watched" });
    const token = await shared.hub.token("observer", "watcher", "sess_watched");
    const { status, body } = await shared.hub.request("GET", "/metrics", { token });
    expect([status, body.code]).toEqual([403, "FORBIDDEN"]);
  });

  test("/metrics counts what happened, under parley_ names", async () => {
    await shared.hub.call(ana, "chat_human_post", { content: "hello" });
    await shared.hub.call(ana, "chat_human_post", { content: "" });
    await shared.hub.call(undefined, "whoami");
    await shared.hub.request("GET", "/nowhere/at/all");

    const text = await metrics();

    const { version, database } = shared.hub.hub;
    const node = process.versions.node;
    expect(text).toContain(
      `parley_build_info{version="${version}",node="${node}",schema="${MIGRATIONS.length}",backend="${database.backend}"} 1`,
    );
    expect(text).toMatch(
      /parley_operation_duration_seconds_count\{.*tool="chat_human_post".*door="http".*result="ok".*\} 1/,
    );
    expect(text).toMatch(/parley_operation_duration_seconds_count\{.*result="INVALID_ARGUMENT".*\} 1/);
    expect(text).toMatch(/parley_http_requests_total\{route="\/api\/tools\/:name",code="200"\} [1-9]/);
    expect(text).toMatch(/parley_http_requests_total\{route="\/\*",code="404"\} 1/);
    expect(text).toMatch(/parley_auth_failures_total\{code="UNAUTHENTICATED"\} [1-9]/);
    expect(text).toMatch(/parley_events_appended_total\{type="chat.posted"\} 1/);
    const names = [...text.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name ?? "");
    expect(names.filter((name) => !/^(parley|process|nodejs)_[a-z0-9_]+$/.test(name))).toEqual([]);
  });

  test("no label of a metric grows with names, ids or what strangers send", async () => {
    const labels = async (): Promise<Set<string>> =>
      new Set([...(await metrics()).matchAll(/^parley_[a-z_]+\{([^}]*)\}/gm)].map(([, text]) => text ?? ""));
    await shared.hub.call(ana, "chat_shout");
    await shared.hub.request("GET", "/x");
    const before = await labels();
    for (let n = 0; n < 20; n++) {
      await shared.hub.call(ana, `chat_shout_${n}`);
      await shared.hub.request("GET", `/x/${n}`);
      await shared.hub.request("PROPFIND", `/x/${n}`);
      await shared.hub.request("POST", "/api/tools/whoami", { token: `nobody${n}` });
      await shared.hub.request("POST", "/api/tools/whoami", { token: ana, headers: { "x-session-id": `sess_${n}` } });
    }
    expect((await labels()).size - before.size).toBeLessThan(5);
    expect([...(await labels())].filter((label) => /ana|olga|sess_|shout|nobody/.test(label))).toEqual([]);
  });

  test("/openapi.json describes every tool, with what it takes, what it gives and how it fails", async () => {
    const { status, body } = await shared.hub.request("GET", "/openapi.json");
    expect([status, body.openapi]).toEqual([200, "3.1.0"]);
    expect(body.security).toEqual([{ token: [] }]);
    expect(body.components.securitySchemes.token).toEqual({ type: "http", scheme: "bearer" });
    for (const tool of shared.hub.hub.tools.all) {
      const { post } = body.paths[`/api/tools/${tool.name}`];
      expect(post.operationId).toBe(tool.name);
      expect(post.requestBody.content["application/json"].schema.type).toBe("object");
      expect(post.responses["200"].content["application/json"].schema.type).toBe("object");
      expect(Object.keys(post.responses).join()).toBe("200,400,401,403,404,409,410,429,502,503");
    }
    const mailbox = body.paths["/api/messages"];
    expect(mailbox.get.parameters.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["agent", "folder", "unread", "limit", "before"]),
    );
    expect(Object.keys(mailbox.post.responses)).toContain("201");
    for (const action of ["read", "ack", "archive", "trash", "snooze", "unread", "inbox", "reply"])
      expect(body.paths[`/api/messages/{id}/${action}`].post.parameters[0].name).toBe("id");
    expect(body.paths["/api/thread/{id}"].get.responses["200"]).toBeDefined();
    const refs = [...JSON.stringify(body).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name);
    expect(Object.keys(body.components.schemas)).toEqual(expect.arrayContaining([...new Set(refs)]));
  });
});
