import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listInHub } from "../modules/timeline/index.ts";
import { ACP_AGENT } from "../testing/agents/acp-agent.ts";
import { eachDatabase, type TestHub } from "../testing/hub.ts";
import { portOf, Running } from "../testing/running-agent.ts";
import { scripted } from "./drivers/scripted.ts";
import { RuntimeHost } from "./host.ts";

const ECHO = {
  driver: "scripted",
  script: {
    rules: [{ when: "", steps: [{ tool: "chat_assistant_post", arguments: { content: "You said {{text}}" } }] }],
  },
};

const said = async (hub: TestHub): Promise<string[]> => {
  const { body } = await hub.call(hub.admin, "timeline_read", { agent: "mason" });
  return body.items.flatMap(({ kind, content }: { kind: string; content: string }) =>
    kind === "AssistantMarkdown" ? content : [],
  );
};

eachDatabase((open) => {
  test("the hub runs an agent that nobody has a token of, again after a restart, until it is stopped", async () => {
    const hub = await open();
    const ana = await hub.token("human", "ana");
    const tell = (at: TestHub, content: string) => at.call(ana, "chat_human_post", { content, agent: "mason" });
    await hub.call(hub.admin, "agent_register", { name: "mason" });
    const definition = JSON.stringify(ECHO);
    expect((await hub.call(ana, "agent_start", { agent: "mason", definition })).status).toBe(403);
    const started = await hub.call(hub.admin, "agent_start", { agent: "mason", definition });
    expect(started.body).toMatchObject({ agent: "mason", in_hub: true });
    await tell(hub, "one");
    await expect.poll(() => said(hub)).toEqual(["You said one"]);
    const status = async (at: TestHub) => (await at.call(ana, "agent_status", { agent: "mason" })).body;
    await expect.poll(async () => (await status(hub)).turn.outcome).toBe("finished");
    const { agents } = (await hub.call(ana, "agent_list")).body;
    expect(agents).toMatchObject([{ name: "mason", presence: "active", lifecycle: "ready", client: "parley" }]);
    await hub.stop();

    const again = await open({ same: hub });
    await tell(again, "two");
    await expect.poll(() => said(again)).toEqual(["You said one", "You said two"]);
    await expect.poll(async () => (await status(again)).turn.outcome).toBe("finished");
    await again.call(again.admin, "agent_stop", { agent: "mason" });
    await expect.poll(() => status(again)).toMatchObject({ in_hub: false, lifecycle: "stopped" });
    expect((await again.call(again.admin, "agent_stop", { agent: "mason" })).body.code).toBe("CONFLICT");
    await tell(again, "three");
    await again.call(again.admin, "agent_start", { agent: "mason", definition });
    await expect.poll(() => said(again)).toEqual(["You said one", "You said two", "You said three"]);
    const { body } = await again.call(again.admin, "token_list", {});
    expect(JSON.stringify(body)).not.toContain(definition);
  });

  test("an agent that was deleted is run no more, and nobody tries to", async () => {
    const hub = await open();
    await hub.call(hub.admin, "agent_register", { name: "mason" });
    await hub.call(hub.admin, "agent_start", { agent: "mason", definition: JSON.stringify(ECHO) });
    expect(await listInHub(hub.hub.database)).toMatchObject([{ agent: "mason" }]);
    await hub.call(hub.admin, "agent_delete", { name: "mason" });
    expect(await listInHub(hub.hub.database)).toEqual([]);
  });

  test("an agent that another node ran goes on where that node is gone; one that is run elsewhere no node takes", async () => {
    const hub = await open();
    const ana = await hub.token("human", "ana");
    const definition = JSON.stringify(ECHO);
    const startAgent = async (name: string): Promise<void> => {
      await hub.call(hub.admin, "agent_register", { name });
      await hub.call(hub.admin, "agent_start", { agent: name, definition });
    };
    const generation = async (agent: string): Promise<number> =>
      (await hub.call(ana, "agent_status", { agent })).body.generation;
    await startAgent("mason");
    await expect.poll(() => generation("mason")).toBe(1);

    let is_preferred = true;
    const node = new RuntimeHost({ hub: hub.hub, prefers: () => is_preferred });
    await node.begin({ after_crash: false });
    await expect.poll(() => generation("mason")).toBe(2);
    await node[Symbol.asyncDispose]();
    // Each look at what is wanted is one at all that are.
    await startAgent("second");
    await expect.poll(() => generation("mason")).toBe(3);
    await hub.call(ana, "chat_human_post", { content: "one", agent: "mason" });
    await expect.poll(() => said(hub)).toEqual(["You said one"]);

    is_preferred = false;
    await using other = new RuntimeHost({ hub: hub.hub, prefers: () => is_preferred });
    await other.begin({ after_crash: false });
    const port = await portOf(hub, await hub.token("agent", "mason"), "over HTTP");
    await using _ = new Running({ port, driver: scripted({ rules: [] }) });
    await expect.poll(() => generation("mason")).toBe(4);
    is_preferred = true;
    await startAgent("third");
    // Both nodes run the third one, so both have looked.
    await expect.poll(() => generation("third")).toBe(2);
    expect(await generation("mason")).toBe(4);
  });

  test("an agent whose program the node that sees to its space does not have is run by one that has it", async () => {
    const hub = await open();
    const home = mkdtempSync(join(tmpdir(), "parley-node-"));
    onTestFinished(() => rmSync(home, { recursive: true, force: true }));
    const program = { argv: [process.execPath, ACP_AGENT, home], cwd: home };
    writeFileSync(join(home, "servers.json"), JSON.stringify({ agents: { mason: { program } } }), { mode: 0o600 });
    const elsewhere = { ...hub.hub, config: { ...hub.hub.config, home } };
    await using node = new RuntimeHost({ hub: elsewhere, prefers: () => false, patience_ms: 100 });
    await node.begin({ after_crash: false });
    // As a call at that node asks it.
    hub.hub.hostingRefusal = elsewhere.hostingRefusal;
    await hub.call(hub.admin, "agent_register", { name: "mason" });
    const definition = JSON.stringify({ driver: "acp" });
    expect((await hub.call(hub.admin, "agent_start", { agent: "mason", definition })).status).toBe(200);
    const status = async () => {
      node.wake();
      return (await hub.call(hub.admin, "agent_status", { agent: "mason" })).body;
    };
    await expect.poll(status, { timeout: 30_000 }).toMatchObject({ generation: 1, lifecycle: "ready" });
    await hub.call(hub.admin, "chat_human_post", { content: "say:Here.; yield", agent: "mason" });
    await expect.poll(async () => (await status()).turn?.outcome, { timeout: 30_000 }).toBe("finished");
    expect(await status()).toMatchObject({ generation: 1 });
  });
});
