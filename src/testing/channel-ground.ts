/** A hub with a person and two agents, and a channel for one of them, which is a real process. */
import { CHANNEL_CLIENTS, type ChannelClient } from "./channel.ts";
import type { Program } from "./mcp.ts";
import { freePort } from "./ports.ts";
import { Ground, type HostedHub, PARLEY, type ServedHub, until } from "./process.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test reads what it asserts
export type Body = any;
type Who = "ana" | "scout" | "mason";

export class ChannelGround extends Ground {
  readonly tokens: Record<Who, string> = { ana: "", scout: "", mason: "" };
  #port = 0;
  #hosted: HostedHub | undefined;
  #served: ServedHub | undefined;

  static async open(): Promise<ChannelGround> {
    const ground = new ChannelGround({ in_process: true });
    ground.#port = await freePort();
    ground.#hosted = await ground.host({ port: ground.#port });
    for (const who of ["ana", "scout", "mason"] as const) {
      const args = ["token", "create", "--role", who === "ana" ? "human" : "agent", "--name", who];
      ground.tokens[who] = (await ground.json<{ token: string }>(args)).token;
    }
    return ground;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** One that can be killed. */
  get hub(): ServedHub {
    if (!this.#served) throw new Error("The hub runs in the test's own process: begin() another.");
    return this.#served;
  }

  /** Starts the hub where it was, as a process of its own: again, or in place of the one in this process. */
  async begin(env?: Record<string, string>): Promise<void> {
    await this.#hosted?.stop();
    this.#hosted = undefined;
    this.#served = await this.serve(["--port", String(this.#port)], env);
  }

  async call(who: Who, tool: string, args: object = {}): Promise<Body> {
    const headers = { authorization: `Bearer ${this.tokens[who]}`, "content-type": "application/json" };
    const body = JSON.stringify(args);
    return (await fetch(`${this.url}/api/tools/${tool}`, { method: "POST", headers, body })).json();
  }

  say(content: string): Promise<Body> {
    return this.call("ana", "chat_human_post", { content, agent: "scout" });
  }

  write(body: string, more: object = {}, from: Who = "mason"): Promise<Body> {
    return this.call(from, "mail_send", { to: ["scout"], subject: "News", body, ...more });
  }

  program(args: string[] = []): Program {
    const env = this.env({ PARLEY_URL: this.url, PARLEY_TOKEN: this.tokens.scout });
    return { command: PARLEY, args: ["mcp", "--channel", ...args], env };
  }

  open(args?: string[]): Promise<ChannelClient> {
    const [connect] = Object.values(CHANNEL_CLIENTS);
    if (!connect) throw new Error("there is no client");
    return connect(this.program(args));
  }

  /** Two more pushes, by chat and by mail: what was on its way before them has come. */
  async settled(client: ChannelClient): Promise<void> {
    const marker = `marker ${Math.random()}`;
    await Promise.all([this.say(marker), this.write(marker)]);
    await until(() => contents(client).filter((text) => text.includes(marker)).length === 2);
  }

  async openNotices(): Promise<Body[]> {
    return (await this.call("ana", "notice_list", { open: true })).notices;
  }

  async decide(id: string, decision: "approve" | "deny_continue"): Promise<Body> {
    const { digest } = await this.call("ana", "approval_get", { id });
    return this.call("ana", "approval_decide", { id, digest, decision });
  }
}

export const contents = ({ pushes }: ChannelClient): string[] => pushes.map(({ content }) => content);
