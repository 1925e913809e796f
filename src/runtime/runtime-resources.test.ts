/** What mounted servers have to be read, as an agent's model lists, reads and follows it. */
import { expect, onTestFinished, test } from "vitest";
import { TOOL_SERVER } from "../testing/agents/tool-server.ts";
import { eachDatabase } from "../testing/hub.ts";
import { CLIENTS, type Connect } from "../testing/mcp.ts";
import { call, Model, textsOf, YIELD } from "../testing/model.ts";
import { openAgentHub } from "../testing/running-agent.ts";
import { Compositor } from "./compositor/compositor.ts";
import { parseServers } from "./compositor/config.ts";
import { mcpMount } from "./compositor/mcp-server.ts";
import type { Answer } from "./drivers/driver.ts";
import type { Toolset } from "./toolset.ts";

const program = (mode = "plain") => ({ command: process.execPath, args: [TOOL_SERVER, mode] });
const A = { server: "files", uri: "file:///a" };
const read = (args: object) => call("resources_read", args);
const subscribe = (args: object) => call("resources_subscribe", args);
const unsubscribe = (args: object) => call("resources_unsubscribe", args);
const INBOX = { server: "chat", uri: "ui://chat/scout/inbox" };
// It has one of each.
const connect = CLIENTS["a 2026-07-28 client"] as Connect;
const NOBODY = new AbortController().signal;

eachDatabase((open) => {
  async function openFiles(servers: Record<string, object> = { files: program() }) {
    const opened = await openAgentHub(open);
    const { hub, ana, tell, start } = opened;
    const model = new Model();
    let mounted: Compositor | undefined;
    const mount = (wanted: Record<string, object>) => {
      const specs = parseServers(JSON.stringify({ mcpServers: wanted }));
      return mounted?.reconfigure(new Map([...specs].map(([name, spec]) => [name, mcpMount(name, spec)])));
    };
    const around = async (tools: Toolset, changed: () => void): Promise<Toolset> => {
      mounted = new Compositor({ hub: tools, changed, pace: { first_ms: 20, most_ms: 100 } });
      await mount(servers);
      await mounted.settled(60_000);
      return mounted;
    };
    const begin = async (wanted = servers) => {
      servers = wanted;
      const running = await start(model, { around });
      return {
        [Symbol.asyncDispose]: async () => {
          await running[Symbol.asyncDispose]();
          await mounted?.[Symbol.asyncDispose]();
        },
      };
    };
    /** All in one turn; gives what the model is told of each. */
    const use = async (...calls: Answer["calls"]) => {
      const before = model.requests.length;
      await tell("go");
      await expect.poll(() => model.requests.length).toBe(before + 1);
      model.answers(...calls);
      await expect.poll(() => model.requests.length).toBe(before + 2);
      const messages = model.requests.at(-1)?.messages ?? [];
      const told = messages.flatMap((each) => (each.role === "tool" ? each : [])).slice(-calls.length);
      model.answers(YIELD);
      await expect.poll(async () => (await opened.status()).turn.status).toBe("finished");
      // They end in any order.
      const placeOf = ({ call_id }: { call_id: string }): number => Number(call_id.split("-").at(-1));
      return told.toSorted((one, other) => placeOf(one) - placeOf(other)).map(({ output }) => JSON.parse(output));
    };
    const client = await connect({ url: hub.url, token: ana });
    onTestFinished(() => client[Symbol.asyncDispose]());
    const index = async () => (await client.read("parley://subscriptions")).body.subscriptions;
    const touch = () => {
      const touching = { call_id: "1", tool: "files_touch", arguments: "{}" };
      return mounted?.call(touching, { signal: NOBODY, turn_id: "1", mount: mounted.originOf(touching)?.mount });
    };
    return { ...opened, model, mount, begin, use, index, touch };
  }

  test("a model lists what each server has, page by page, and reads it within bounds", async () => {
    const { begin, use, model } = await openFiles({
      ...{ files: program(), bare: program("bare"), quiet: program("unheard") },
    });
    await using _ = await begin();
    const [listed, more, whole, cut, rest, picture, ...refused] = await use(
      call("resources_list"),
      call("resources_list", { server: "files", cursor: "more" }),
      read(A),
      read({ ...A, uri: "file:///long" }),
      read({ ...A, uri: "file:///long", offset: 250_000 }),
      read({ ...A, uri: "file:///picture" }),
      read({ ...A, uri: "file:///none" }),
      read({ ...A, server: "nobody" }),
      read({ ...A, server: "bare" }),
      read({}),
    );
    expect(model.requests[0]?.tools.map(({ name }) => name)).toContain("resources_read");
    expect(listed.servers).toMatchObject([
      { server: "files", can_subscribe: true, resources: [A, { uri: "file:///long" }].map(({ uri }) => ({ uri })) },
      { server: "quiet", can_subscribe: false, next_cursor: "more" },
    ]);
    expect(more.servers).toMatchObject([{ server: "files", resources: [{ uri: "file:///picture" }] }]);
    expect(whole).toEqual({ contents: [{ uri: A.uri, mime_type: "text/plain", text: "what a says" }] });
    const [long] = cut.contents;
    expect([long.text.length, cut.next_offset]).toEqual([100_000, 100_000]);
    expect(cut.note).toBe("Characters 0 to 100000 of 300000.");
    expect([rest.contents[0].text.length, rest.next_offset]).toEqual([50_000, undefined]);
    expect(picture.contents).toEqual([
      { uri: "file:///picture", mime_type: "image/png", note: "This is no text: 4 characters of base64." },
    ]);
    expect(refused).toMatchObject([
      { code: -32002 },
      { code: "SERVER_FAILED" },
      { error: "It has no resources." },
      { code: "INVALID_ARGUMENT" },
    ]);
  });

  test("a rule of the policy says what is read of a server, and without one reading is allowed", async () => {
    const { hub, ana, begin, use } = await openFiles();
    const document = {
      rules: [{ tool: "resources_read", when: { server: "files" }, decision: "deny_continue", reason: "private" }],
    };
    await using _ = await begin();
    expect(await use(read(A))).toMatchObject([{ contents: [{ uri: A.uri }] }]);
    const { body } = await hub.call(ana, "policy_get");
    await hub.call(ana, "policy_set", { document, expected_version: body.version });
    expect(await use(read(A))).toMatchObject([{ code: -32951, error: expect.stringContaining("private") }]);
  });

  test("MOUNT-9: what is followed is listed; the pinned inbox stays, and a server that tells nothing gives -32960", async () => {
    const { begin, use, index, model, tell, touch } = await openFiles({ files: program(), quiet: program("unheard") });
    await using _ = await begin();
    const followed = await use(
      subscribe(A),
      subscribe(A),
      unsubscribe(INBOX),
      subscribe({ ...A, server: "quiet" }),
      subscribe({ ...A, uri: "file:///none" }),
      unsubscribe({ ...A, uri: "file:///none" }),
    );
    expect(followed).toMatchObject([
      ...[{ subscribed: true }, { subscribed: true }, { code: "FORBIDDEN" }, { code: -32960 }],
      ...[{ code: "SERVER_FAILED" }, { code: "NOT_FOUND" }],
    ]);
    const common = { agent: "scout", present: true, active: true, last_error: null };
    expect(await index()).toMatchObject([
      { ...common, ...INBOX, pinned: true },
      { ...common, ...A, pinned: false, last_id: null },
    ]);

    await touch();
    const before = model.requests.length;
    await tell("more");
    await expect.poll(() => model.requests.length).toBe(before + 1);
    expect(textsOf(model.requests.at(-1)?.messages ?? []).join("\n")).toContain(
      "These resources have changed:\nfiles: file:///a",
    );
    model.answers(YIELD);
    expect(await use(unsubscribe(A))).toMatchObject([{ subscribed: false }]);
    expect(await index()).toMatchObject([INBOX]);
  });

  test("MOUNT-9: what is followed is taken up again after a restart, and when its server is back", async () => {
    const { begin, use, index, mount, model, tell, touch } = await openFiles();
    {
      await using _ = await begin();
      await use(subscribe(A));
    }
    await expect.poll(index).toMatchObject([{ active: false }, { ...A, active: false }]);

    await using _ = await begin({ files: program("crash") });
    await expect
      .poll(index)
      .toMatchObject([
        { active: true },
        { ...A, present: false, active: false, last_error: expect.stringContaining("licence has expired") },
      ]);
    await mount({});
    await expect.poll(index).toMatchObject([{}, { last_error: "files is not mounted." }]);
    await mount({ files: program() });
    await expect.poll(index).toMatchObject([{}, { present: true, active: true, last_error: null }]);
    await tell("again");
    await expect
      .poll(() => textsOf(model.requests.at(-1)?.messages ?? []).join("\n"))
      .toContain("These may have changed while they were not followed:\nfiles: file:///a");
    model.answers(YIELD);
    await touch();
    const said = async () => {
      await tell("and now");
      return textsOf(model.requests.at(-1)?.messages ?? []).join("\n");
    };
    await expect.poll(said).toContain("These resources have changed:\nfiles: file:///a");
  });
});
