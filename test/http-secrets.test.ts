import { readFileSync, statSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { testDatabases } from "../src/testing/databases.ts";
import { createDatabase } from "../src/testing/postgres.ts";
import { Ground } from "../src/testing/process.ts";
import { filesOf, rowsOf } from "../src/testing/stored.ts";

describe.each(testDatabases())("%s", (name) => {
  test("IDENTITY-1: no token is found in a log, an error, the process list, the data folder or the database", async () => {
    await using ground = new Ground();
    const database = name === "postgres" ? await createDatabase() : undefined;
    const env = { PARLEY_LOG: "debug", ...(database && { PARLEY_DATABASE_URL: database.url }) };
    const hub = await ground.serve([], env);
    const admin = readFileSync(`${hub.home}/admin.token`, "utf8").trim();
    const told: string[] = [];
    const ask = async (path: string, token: string, body: unknown = {}, headers = {}): Promise<string> => {
      const response = await fetch(hub.url + path, {
        method: "POST",
        headers: { authorization: `Bearer ${token}`, ...headers },
        body: typeof body === "string" ? body : JSON.stringify(body),
      });
      return response.text();
    };
    const made = JSON.parse(await ask("/api/tools/token_create", admin, { role: "human", name: "ana" }));
    const scout = JSON.parse(await ask("/api/tools/token_create", admin, { role: "agent", name: "scout" }));
    const rotated = JSON.parse(await ask("/api/tools/token_rotate", admin, { id: made.id }));
    const secrets = [admin, made.token, scout.token, rotated.token];
    for (const secret of secrets) {
      told.push(
        await ask("/api/tools/whoami", `${secret}x`),
        await ask("/api/tools/whoami", secret, { token: secret }),
        await ask(`/api/tools/whoami?token=${secret}`, "nobody"),
        await ask(`/api/tools/${secret}`, admin),
        await ask("/api/tools/whoami", admin, {}, { "x-session-id": secret, "x-caller-agent": secret }),
        await ask("/api/tools/whoami", admin, `{"broken": "${secret}`),
        await ask("/api/mcp/call", admin, { server: secret, tool: secret, arguments: {} }),
        await ask("/mcp", secret, { jsonrpc: "2.0", id: 1, method: secret }),
        await ask("/events", secret),
      );
      await ask("/api/tools/chat_human_post", admin, { content: "x" }, { "idempotency-key": secret.slice(7) });
    }
    told.push(await (await fetch(`${hub.url}/metrics`, { headers: { authorization: `Bearer ${admin}` } })).text());
    const command = ["cmdline", "environ"].map((file) => readFileSync(`/proc/${hub.pid}/${file}`, "latin1")).join();
    const { code } = await hub.kill("SIGTERM");
    expect(code).toBe(0);

    const files = filesOf(hub.home);
    files.delete("admin.token");
    files.set("log", Buffer.from(hub.stderr()));
    files.set("process", Buffer.from(command));
    if (database) files.set("database", Buffer.from(await rowsOf(database.url)));
    expect(files.get("log")?.length).toBeGreaterThan(50);
    for (const [file, bytes] of files)
      for (const secret of secrets) {
        // As an idempotency key its own holder gave it away above, without the part that makes it a token.
        const form = /database|parley\.db/.test(file) ? secret : secret.slice(7, 30);
        expect([file, bytes.includes(form)]).toEqual([file, false]);
      }
    // What a caller sends as a name is repeated to that caller; what it sends as its credential is not.
    const errors = told.filter((text) => !/UNKNOWN_(TOOL|SERVER)|SESSION|jsonrpc/.test(text)).join("\n");
    for (const secret of secrets) expect(errors.includes(secret.slice(7, 30))).toBe(false);
    if (database) expect(hub.stderr()).not.toContain(new URL(database.url).password);

    expect((statSync(hub.home).mode & 0o777).toString(8)).toBe("700");
    expect((statSync(`${hub.home}/admin.token`).mode & 0o777).toString(8)).toBe("600");
    await database?.drop();
  });
});
