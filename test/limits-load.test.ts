/** Limits under ten times what they allow and more, over real sockets, and what another principal notices of it. */
import { readFileSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Came } from "../src/testing/attacker.ts";
import { legacy, modern } from "../src/testing/mcp-raw.ts";
import { Ground, type ServedHub, until } from "../src/testing/process.ts";
import { RawConnection } from "../src/testing/raw-http.ts";
import { Attacker, Measure, type Siege, underAttack } from "../src/testing/under-load.ts";

const RATE = 200;
const MOST_SLOWDOWN = 2;
/** Whoever is slowed down is held at least for so long: nobody else is. */
const HELD_MS = 1000;
const KIB = 1024;
const MIB = 1024 * KIB;

const ground = new Ground();
let measure: Measure;
let hub: ServedHub;
let admin: string;
let people = 0;

async function startHub(): Promise<void> {
  measure = new Measure(ground.folder);
  // Long enough for a busy machine: whoever asks as one should is never late.
  const env = { PARLEY_RATE_LIMIT: `${RATE}`, PARLEY_REQUEST_SECONDS: "15", PARLEY_LOG: "error" };
  hub = await ground.serve([], { ...env, ...measure.env });
  admin = readFileSync(`${hub.home}/admin.token`, "utf8").trim();
}

async function stopHub(): Promise<void> {
  await measure[Symbol.asyncDispose]();
  await hub.kill("SIGTERM");
}

beforeAll(startHub);
afterAll(async () => {
  await stopHub();
  await ground[Symbol.asyncDispose]();
});

/** It forgets what the address that all attacks come from has spent, which would take a minute to fill up again. */
async function restartHub(): Promise<void> {
  await stopHub();
  await startHub();
}

/** What is read of the answers of tools here. */
interface Answer {
  token: string;
  id: string;
  principal: string;
  urgent: number;
}

async function call(token: string, tool: string, args: object): Promise<Answer> {
  const response = await fetch(`${hub.url}/api/tools/${tool}`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: JSON.stringify(args),
  });
  expect([tool, response.status]).toEqual([tool, 200]);
  // Each tool that is called here has what is read of it.
  return (await response.json()) as Answer;
}

/** Somebody new, so that nobody has spent what another may spend. */
async function somebody(role: "human" | "agent" | "orchestrator"): Promise<string> {
  const name = ["ana", "bert", "cleo", "dora", "emil", "fritz", "gusto", "hedwig", "ivo", "jana", "kurt", "lotte"][
    people % 12
  ];
  people += 1;
  return (await call(admin, "token_create", { role, name: `${name}.${role}.${"xyz".repeat(1 + people / 12)}` })).token;
}

const name = async (token: string): Promise<string> => (await call(token, "whoami", {})).principal;

function get(path: string, token?: string, ...more: string[]): string {
  const lines = [`GET ${path} HTTP/1.1`, `Host: ${new URL(hub.url).host}`, ...more];
  return `${[...lines, ...(token ? [`Authorization: Bearer ${token}`] : [])].join("\r\n")}\r\n\r\n`;
}

/** What the attacker writes for `#`. */
const DIGITS = "0".repeat(9);

function post(
  path: string,
  token: string | undefined,
  body: string,
  length = Buffer.byteLength(body.replaceAll("#", DIGITS)),
): string {
  const { host, origin } = new URL(hub.url);
  const who = token ? `Authorization: Bearer ${token}` : `Origin: ${origin}`;
  const lines = [`POST ${path} HTTP/1.1`, `Host: ${host}`, who, "Content-Type: application/json"];
  return `${[...lines, `Content-Length: ${length}`].join("\r\n")}\r\n\r\n${body}`;
}

/** A request of MCP, in the era that has no sessions. */
function ask(token: string, method: string, params: Record<string, unknown>, capabilities: object = {}): string {
  const { body, headers } = modern({ method, params }, capabilities);
  const more = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return post("/mcp", token, body).replace("\r\n", `\r\n${[...more, ACCEPT].join("\r\n")}\r\n`);
}

const ACCEPT = "Accept: application/json, text/event-stream";
const INITIALIZE = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "raw", version: "1" } };

const tool = (token: string, name: string, args: object = {}): string =>
  post(`/api/tools/${name}`, token, JSON.stringify(args));

const answers =
  (status: number, least = 1) =>
  ({ answers }: Came): boolean =>
    (answers[status] ?? 0) >= least;

/** So many answers of whatever kind. */
const answered =
  (least: number) =>
  ({ answers }: Came): boolean =>
    Object.values(answers).reduce((sum, count) => sum + count, 0) >= least;

async function nobodyNotices(siege: Siege, asked?: string): Promise<Came> {
  const request = asked ?? tool(await somebody("human"), "whoami");
  const noticed = await underAttack({ measure, url: hub.url, request, most: MOST_SLOWDOWN, most_ms: HELD_MS }, siege);
  expect(noticed.slowdown).toBeLessThanOrEqual(MOST_SLOWDOWN);
  expect(noticed.passed_ms).toBeLessThan(HELD_MS);
  return noticed.came;
}

/** The same requests again and again, on so many connections. */
const repeated = (connections: number, requests: string[], held: Siege["held"], asked?: string): Promise<Came> =>
  nobodyNotices({ connections, how: "repeat", requests, held }, asked);

/** How many of them the hub has open, by its own figures. */
async function openStreams(kind: "listen" | "session"): Promise<number> {
  const response = await fetch(`${hub.url}/metrics`, { headers: { authorization: `Bearer ${admin}` } });
  return Number(new RegExp(`^parley_streams_open\\{kind="${kind}"\\} (\\d+)`, "m").exec(await response.text())?.[1]);
}

/** Keeps streams open until it is disposed of, as many as it has connections. */
async function holdOpen(request: string, connections: number): Promise<Attacker> {
  const port = Number(new URL(hub.url).port);
  const holder = await Attacker.start({ port, connections, how: "repeat", requests: [request] });
  await holder.tell("go");
  await until(async () => answers(200, connections)(await holder.tell("tell")), LIMIT_MS);
  return holder;
}

/** Two thousand are free, which are some three hundred of these: the larger ones count as dozens. */
const openToAll = (): string[] => ["/livez", "/", "/readyz", "/openapi.json", "/nowhere"].map((path) => get(path));

/** What is said to it once it may call again. */
async function oneMore(request: string): Promise<string> {
  return until(async () => {
    using connection = await RawConnection.open(hub.url);
    connection.send(request.replaceAll("#", DIGITS));
    const { text } = await connection.answer();
    return text.includes("RATE_LIMITED") ? undefined : text;
  }, LIMIT_MS);
}

/** Limits fill up again, by one a second at most; what calls alone let through would be thousands. */
async function sendsFew(requests: string[], at_once: number): Promise<void> {
  const before = performance.now();
  const siege: Siege = { connections: 1200, how: "repeat", requests, held: answers(429, 1010) };
  const { answers: came } = await nobodyNotices(siege);
  expect(came[200]).toBeGreaterThanOrEqual(at_once - 1);
  expect(came[200]).toBeLessThanOrEqual(at_once + (performance.now() - before) / 1000);
}

/** Behind the hub's back: to send so many takes longer than all else here. */
function copyMail(id: number, copies: number): void {
  using database = new DatabaseSync(`${hub.home}/parley.db`, { timeout: 10_000 });
  const numbers = `with recursive n (n) as (select 1 union all select n + 1 from n where n < ${copies})`;
  const mail =
    "in_reply_to, sender_id, by_principal_id, recipients, participants, subject, preview, priority, bytes, body";
  const copy = "principal_id, priority, state, offered, place";
  database.exec(`begin immediate;
    ${numbers} insert into mails (space_id, id, thread_id, ${mail})
      select space_id, id - n, id - n, ${mail} from mails, n where id = ${id};
    ${numbers} insert into mail_recipients (space_id, id, mail_id, position, ${copy})
      select space_id, id - n, mail_id - n, position - n, ${copy} from mail_recipients, n where mail_id = ${id};
    commit`);
}

const MANY_KEYS = `{${Array.from({ length: 49_000 }, (_, n) => `"${"k".repeat(70)}${n}":1`).join()}}`;

/** It is asked again before it fails, on a machine that may be busy. */
const LIMIT_MS = 900_000;

describe("nobody notices", { timeout: LIMIT_MS }, () => {
  test("a client that opens sessions of MCP ten times over", async () => {
    const opening = post("/mcp", await somebody("agent"), legacy({ id: 1, method: "initialize", params: INITIALIZE }));
    const requests = [opening.replace("\r\n", `\r\n${ACCEPT}\r\n`)];
    const held = async (): Promise<boolean> => (await openStreams("session")) === 1024;
    const meanwhile = async (): Promise<void> => expect(await held()).toBe(true);
    await nobodyNotices({ connections: 200, how: "repeat", requests, held, meanwhile });
  });

  test("megabytes of keys that are posted to sign in with", async () => {
    const requests = [post("/login", undefined, MANY_KEYS)];
    await repeated(32, requests, answers(413));
  });

  test("wrong codes that are tried without end", async () => {
    const requests = [post("/login", undefined, JSON.stringify({ code: "x".repeat(43) }))];
    await repeated(1000, requests, answers(401, 105));
  });

  test("tokens that are guessed without end", async () => {
    await restartHub();
    const requests = [get("/api/messages", `parley_${"x".repeat(34)}#`)];
    await repeated(1000, requests, answers(401, 105));
  });

  test("spaces that are guessed without end by who has a credential", async () => {
    const requests = [get("/api/messages", await somebody("human"), "X-Session-ID: sess_#")];
    await repeated(1000, requests, answers(404, 2100));
  });

  test("pages, checks and addresses that do not exist, asked for without end by who has no credential", async () => {
    await restartHub();
    await repeated(1000, openToAll(), answered(400));
  });

  test("the same, who asks for them from the same address and has a credential", async () => {
    await restartHub();
    const own = get("/livez", await somebody("human"));
    await repeated(1000, openToAll(), answered(400), own);
  });

  test("bodies that are far too large for their tool", async () => {
    const requests = [post("/api/tools/chat_read_since", await somebody("human"), MANY_KEYS)];
    await repeated(16, requests, answers(413));
  });

  test("a principal that calls ten times as often as it may", async () => {
    const requests = [tool(await somebody("human"), "agent_list")];
    await repeated(10 * RATE, requests, answers(429, 1010));
  });

  test("a principal that stores ten times as many bytes as it may", async () => {
    const token = await somebody("human");
    const requests = [200, 1000].map((kib) => tool(token, "chat_human_post", { content: "x".repeat(kib * KIB) }));
    const { answers: came } = await repeated(50, requests, answers(429, 10));
    expect(came[200]).toBeGreaterThan(5);
  });

  test("the same in smaller pieces, of which its calls alone would let it send three times as many", async () => {
    const before = performance.now();
    const requests = [tool(await somebody("human"), "chat_human_post", { content: "x".repeat(200 * KIB) })];
    const { answers: came } = await repeated(50, requests, answers(429, 10));
    const most = 10 * MIB + ((performance.now() - before) / 1000) * MIB;
    expect((came[200] ?? 0) * 200 * KIB).toBeLessThan(most + 200 * KIB);
  });

  test("a principal that tells a thousand streams of its own what it does", async () => {
    const token = await somebody("human");
    await using _streams = await holdOpen(get("/events?topics=chat,mail", token), 1000);
    const requests = [tool(token, "chat_human_post", { content: "hello" })];
    const { answers: came } = await repeated(20, requests, answers(429, 100));
    // Each counts as a hundred.
    expect(came[200]).toBeLessThan(RATE);
  });

  test("somebody whose thousand streams are told what somebody else does", async () => {
    await using _streams = await holdOpen(get("/events?topics=chat,mail", await somebody("human")), 1000);
    const requests = [tool(await somebody("human"), "chat_human_post", { content: "hello" })];
    await repeated(20, requests, answers(200, 100));
  });

  test("a webhook that is sent ten times as much as it takes, in small deliveries and large ones", async () => {
    await call(admin, "trigger_create", { name: "stormed", type: "webhook", prompt: "Look at it." });
    const bodies = ["{}", JSON.stringify({ text: "x".repeat(900 * KIB) })];
    const requests = bodies.map((body) => post("/api/webhook/stormed", undefined, body));
    const before = performance.now();
    const { answers: came } = await repeated(300, requests, answers(429, 105));
    // From one address half of fifty a second, and of ten seconds' worth at once.
    expect(came[200]).toBeGreaterThan(1);
    expect(came[200]).toBeLessThanOrEqual(250 + (25 * (performance.now() - before)) / 1000);
  });

  test("a person who searches a large mailbox for what is not in it, again and again", async () => {
    const [token, sender, nobody] = [await somebody("human"), await somebody("agent"), await somebody("agent")];
    const { id } = await call(sender, "mail_send", { to: [await name(token)], subject: "s", body: "b" });
    copyMail(Number(id), 20_000);
    const requests = [tool(token, "mail_search", { query: "", from: await name(nobody) })];
    const { answers: came } = await repeated(50, requests, answers(429, 100));
    // Each counts as a dozen and more: of calls alone a thousand are free.
    expect(came[200]).toBeLessThan(500);
  });

  test("an agent that calls again and again what its role may not", async () => {
    const requests = [tool(await somebody("agent"), "token_list")];
    await repeated(1000, requests, answers(403, 1010));
  });

  test("an agent that sends one recipient mail ten times over", async () => {
    const [token, to] = [await somebody("agent"), [await name(await somebody("human"))]];
    const requests = [tool(token, "mail_send", { to, subject: "#", body: "b" })];
    await sendsFew(requests, 120);
  });

  test("an agent that writes in one thread ten times over, to whomever of it", async () => {
    const token = await somebody("agent");
    const people = await Promise.all(Array.from({ length: 5 }, async () => name(await somebody("agent"))));
    const { id: thread_id } = await call(token, "mail_send", { to: people, subject: "s", body: "b" });
    const requests = people.map((one) => tool(token, "mail_send", { to: [one], subject: "#", body: "b", thread_id }));
    await sendsFew(requests, 300);
  });

  test("an agent whose mail is always urgent", async () => {
    const [token, person] = [await somebody("agent"), await somebody("human")];
    const mail = { to: [await name(person)], subject: "#", body: "b", priority: "urgent" };
    await sendsFew([tool(token, "mail_send", mail)], 120);
    // The rest has come as any other mail does.
    expect((await call(person, "mail_poll", {})).urgent).toBe(20);
  });

  test("an orchestrator that makes topics, notices and names ten times over", async () => {
    const token = await somebody("orchestrator");
    const requests = [
      tool(token, "mail_subscribe", { topic: "#" }),
      tool(token, "notice_raise", { key: "#", kind: "test", title: "t", text: "x" }),
      tool(token, "agent_register", { name: "admin" }),
    ];
    const { answers: came } = await repeated(1000, requests, answers(429, 1010));
    // Topics and notices, and names that are refused.
    expect(came).toMatchObject({ 200: 200 + 20, 409: 20 });
  });

  test("an orchestrator that registers agents ten times over", async () => {
    const requests = [tool(await somebody("orchestrator"), "agent_register", { name: "#" })];
    const { answers: came } = await repeated(1000, requests, answers(429, 1010));
    expect(came[200]).toBe(500);
  });

  test("an orchestrator that makes tokens of sessions ten times over", async () => {
    const requests = [tool(await somebody("orchestrator"), "agent_ensure", { client_session_id: "always-the-same" })];
    const { answers: came } = await repeated(1000, requests, answers(429, 1010));
    expect(came[200]).toBe(1000);
  });

  test("an administrator who makes tokens of one name ten times over", async () => {
    const { token } = await call(admin, "token_create", { role: "admin", name: "walter" });
    const requests = [tool(token, "token_create", { role: "human", name: "zoe" })];
    const { answers: came } = await repeated(1000, requests, answers(429, 1010));
    expect(came[200]).toBe(100);
  });

  test("an orchestrator that makes spaces ten times over", async () => {
    const requests = [tool(await somebody("orchestrator"), "space_create", { id: "sess_#" })];
    const { answers: came } = await repeated(1000, requests, answers(429, 1010));
    expect(came[200]).toBe(100);
  });

  test("a person who puts off more than they may, again and again", async () => {
    const token = await somebody("human");
    const requests: string[] = [];
    for (let agents = 0; agents < 12; agents += 1) {
      const asking = await somebody("agent");
      for (let asked = 0; asked < 20; asked += 1) {
        const { id } = await call(asking, "notice_raise", { key: `${asked}`, kind: "test", title: "t", text: "x" });
        requests.push(tool(token, "need_later", { id, until: "2h" }));
      }
    }
    await repeated(480, requests, answers(429, 1000));
    const { id } = await call(await somebody("agent"), "notice_raise", {
      key: "1",
      kind: "test",
      title: "t",
      text: "x",
    });
    expect(await oneMore(tool(token, "need_later", { id, until: "2h" }))).toContain("200");
  });

  test("a person who makes links to sign in ten times over", async () => {
    const requests = [tool(await somebody("human"), "login_create")];
    const { answers: came } = await repeated(200, requests, answers(429, 200));
    expect(came[200]).toBe(20);
  });

  test("an agent that waits for mail and follows events ten times over", async () => {
    const token = await somebody("agent");
    const requests = [tool(token, "mail_poll", { wait_seconds: 50 }), get("/events?topics=mail", token)];
    await repeated(2 * 10 * 32, requests, answers(429));
  });

  test("an agent that leaves waits behind as tasks ten times over", async () => {
    const capable = { extensions: { "io.modelcontextprotocol/tasks": {} } };
    const token = await somebody("agent");
    const asking = ask(
      token,
      "tools/call",
      { name: "mail_poll", arguments: { waiter: "w#", wait_seconds: 300 } },
      capable,
    );
    await repeated(10 * 32, [asking], answers(429));
    expect(await oneMore(asking)).toContain("You wait for 32 things already");
  });

  test("a client that listens to resources ten times over", async () => {
    const notifications = { resourceSubscriptions: ["parley://chat/inbox"] };
    const requests = [ask(await somebody("agent"), "subscriptions/listen", { notifications })];
    const held = async (): Promise<boolean> => (await openStreams("listen")) === 1024;
    const meanwhile = async (): Promise<void> => expect(await held()).toBe(true);
    await nobodyNotices({ connections: 1400, how: "repeat", requests, held, meanwhile });
  });

  test("five hundred requests that never end", async () => {
    const requests = [post("/api/tools/chat_read_since", await somebody("human"), '{"agent":"', 5000)];
    await nobodyNotices({ connections: 500, how: "trickle", requests, held: answers(408) });
  });

  test("answers of a megabyte that are not read", async () => {
    const token = await somebody("human");
    await call(token, "chat_human_post", { content: "x".repeat(MIB - 1024) });
    const requests = [tool(token, "chat_read_since")];
    await nobodyNotices({ connections: 200, how: "unread", requests, held: ({ closed }) => closed > 0 });
  });
});
