import { Readable, Writable } from "node:stream";
import * as acp from "@agentclientprotocol/sdk";
import { VERSION } from "../../version.ts";
import { unlessAborted } from "../aborting.ts";
import { HUB } from "../toolset.ts";
import { notThere, wordsOf } from "./acp-errors.ts";
import { AcpUpdates, isHubTool, rawInputOf, tokensIn, toolOf } from "./acp-updates.ts";
import { ACP_SERVER, type Permission, type ProgramReport } from "./program.ts";
import { type ProgramCommand, ProgramProcess } from "./program-process.ts";
import { Silence, type SilenceLimits } from "./silence.ts";

/** What an agent tells of only once it has its prompt; the rest may be about anything. */
const SHOWS_PROMPT: readonly acp.SessionUpdate["sessionUpdate"][] = [
  ...(["agent_message_chunk", "agent_thought_chunk", "tool_call", "tool_call_update", "plan"] as const),
];
const MOST_MESSAGE_BYTES = 8 * 1024 * 1024;

export interface AcpLimits extends SilenceLimits {
  /** How long it may take to start, and to open a session. */
  start_ms: number;
  /** How long it may take to end its turn once it is told to. */
  cancel_ms: number;
}

/** The hub's own server, as the agent can take it, with the token that it acts with there. */
export type Servers = (capabilities: { http: boolean }, token: string) => acp.McpServer;

interface Opening {
  /** The session to go on with, if there is one. */
  known: string | undefined;
  cwd: string;
  servers: Servers;
  token: string;
}

interface Listening {
  report: ProgramReport;
  updates: AcpUpdates;
  taken: () => void;
}

/** Where what comes of a prompt is taken to. */
interface Hearing {
  report: ProgramReport;
  cost: (usd: number) => void;
  /** The session has shown that it has it. */
  taken: () => void;
}

/** One running program, and one session of it. */
export class AcpConnection {
  readonly #process: ProgramProcess;
  readonly #connection: acp.ClientConnection;
  readonly #limits: AcpLimits;
  readonly #gone = new AbortController();
  readonly #over: Promise<string>;
  #capabilities: acp.AgentCapabilities = {};
  #session_id = "";
  #listening: Listening | undefined;
  readonly #silence: Silence;

  /** Throws, and leaves nothing, where the program does not come up to answering. */
  static async open(command: ProgramCommand, limits: AcpLimits, signal: AbortSignal): Promise<AcpConnection> {
    const connection = new AcpConnection(await ProgramProcess.start(command), limits);
    try {
      await connection.#initialize(signal);
    } catch (error) {
      await connection.close();
      throw error;
    }
    return connection;
  }

  private constructor(program: ProgramProcess, limits: AcpLimits) {
    this.#process = program;
    this.#limits = limits;
    this.#silence = new Silence(limits);
    const [output, input] = [Writable.toWeb(program.stdin), Readable.toWeb(program.stdout)];
    const stream = acp.ndJsonStream(
      output as WritableStream<Uint8Array>,
      input as unknown as ReadableStream<Uint8Array>,
      { maxMessageBytes: MOST_MESSAGE_BYTES },
    );
    this.#connection = acp
      .client({ name: "parley" })
      .onRequest(acp.methods.client.session.requestPermission, ({ params, signal }) => this.#permit(params, signal))
      .onNotification(acp.methods.client.session.update, ({ params }) => this.#update(params))
      .connect(stream);
    // One whose words cannot be followed any more is no use either.
    const unreadable = this.#connection.closed.then(async () => {
      await program.end();
      return program.over;
    });
    this.#over = Promise.race([program.over, unreadable]);
    void this.#over.then(() => this.#gone.abort());
  }

  get isGone(): boolean {
    return this.#gone.signal.aborted;
  }

  get session_id(): string {
    return this.#session_id;
  }

  /** Goes on with a session that the agent has, or begins one. Whether it goes on. */
  async openSession({ known, cwd, servers, token }: Opening, signal: AbortSignal): Promise<boolean> {
    const { loadSession, sessionCapabilities, mcpCapabilities } = this.#capabilities;
    const mcpServers = [servers({ http: mcpCapabilities?.http === true }, token)];
    const { session } = acp.methods.agent;
    const { agent } = this.#connection;
    const method = sessionCapabilities?.resume ? session.resume : loadSession ? session.load : undefined;
    if (known !== undefined && method !== undefined) {
      const asked = agent.request(method, { sessionId: known, cwd, mcpServers });
      // What it tells of the past meanwhile is known.
      if (await this.#soon(asked, method, signal).then(() => true, notThere)) {
        this.#session_id = known;
        return true;
      }
    }
    const begun = await this.#soon(agent.request(session.new, { cwd, mcpServers }), session.new, signal);
    this.#session_id = begun.sessionId;
    return false;
  }

  /** Throws for whatever is not a regular end. */
  async prompt(texts: readonly string[], { report, cost, taken }: Hearing, signal: AbortSignal): Promise<void> {
    const updates = new AcpUpdates(report, cost);
    this.#listening = { report, updates, taken };
    const prompt = texts.map((text): acp.ContentBlock => ({ type: "text", text }));
    const params: acp.PromptRequest = { sessionId: this.#session_id, prompt };
    const asked = this.#connection.agent.request(acp.methods.agent.session.prompt, params);
    // However it answers, it has it; one that is gone does not answer.
    asked.then(taken, (error: unknown) => error instanceof acp.RequestError && taken());
    try {
      report.spent(tokensIn(await this.#ended(asked, signal)));
    } finally {
      updates.end();
      this.#listening = undefined;
    }
  }

  async close(): Promise<void> {
    await this.#process.end();
    this.#connection.close();
    await this.#over;
  }

  async #initialize(signal: AbortSignal): Promise<void> {
    const { initialize } = acp.methods.agent;
    const asked = this.#connection.agent.request(initialize, {
      protocolVersion: acp.PROTOCOL_VERSION,
      // It has its own files and terminals: ours are not offered.
      clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
      clientInfo: { name: "parley", title: "Parley", version: VERSION },
    });
    const { protocolVersion, agentCapabilities } = await this.#soon(asked, initialize, signal);
    if (protocolVersion !== acp.PROTOCOL_VERSION)
      throw new Error(`The program speaks version ${protocolVersion} of ACP, and not ${acp.PROTOCOL_VERSION}.`);
    this.#capabilities = agentCapabilities ?? {};
  }

  async #ended(asked: Promise<acp.PromptResponse>, signal: AbortSignal): Promise<acp.PromptResponse> {
    const silence = this.#silence.watch();
    try {
      const answer = await unlessAborted(Promise.race([asked, this.#lost(), silence.over]), signal);
      if (answer.stopReason === "end_turn") return answer;
      throw new Error(`The program ended its turn early: ${answer.stopReason}.`);
    } catch (error) {
      if (signal.aborted || silence.isOver()) await this.#cancel(asked);
      throw await this.#wordsOf(error);
    } finally {
      silence.stop();
    }
  }

  /** Asked to end its turn it may; one that does not ends altogether. */
  async #cancel(asked: Promise<unknown>): Promise<void> {
    const { session } = acp.methods.agent;
    // One that is gone needs no word.
    await this.#connection.agent.notify(session.cancel, { sessionId: this.#session_id }).catch(() => {});
    const late = Promise.withResolvers<"late">();
    const timer = setTimeout(() => late.resolve("late"), this.#limits.cancel_ms);
    const how = await Promise.race([
      asked.then(
        () => "ended",
        () => "ended",
      ),
      this.#over,
      late.promise,
    ]);
    clearTimeout(timer);
    if (how === "late") await this.close();
  }

  #update({ sessionId, update }: acp.SessionNotification): void {
    this.#silence.heard();
    if (!this.#listening || sessionId !== this.#session_id) return;
    if (SHOWS_PROMPT.includes(update.sessionUpdate)) this.#listening.taken();
    this.#listening.updates.take(update);
  }

  async #permit(
    { sessionId, toolCall, options }: acp.RequestPermissionRequest,
    signal: AbortSignal,
  ): Promise<acp.RequestPermissionResponse> {
    const optionFor = (kind: acp.PermissionOptionKind) => options.find((option) => option.kind === kind)?.optionId;
    // For good nothing is allowed or refused from here: that is what the policy is for.
    const answers = { allow: optionFor("allow_once"), deny: optionFor("reject_once"), cancelled: undefined };
    const can_allow = answers.allow !== undefined;
    const { permission } = await this.#decide(sessionId, toolCall, { can_allow, signal });
    const optionId = answers[permission];
    return { outcome: optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId } };
  }

  async #decide(
    sessionId: string,
    call: acp.ToolCallUpdate,
    { can_allow, signal }: { can_allow: boolean; signal: AbortSignal },
  ): Promise<Permission> {
    if (!this.#listening || sessionId !== this.#session_id) return { permission: "cancelled", says: "" };
    const { report, updates } = this.#listening;
    const told = updates.about(call);
    const server = isHubTool(told) ? HUB : ACP_SERVER;
    const asked = { id: call.toolCallId, server, tool: toolOf(told), about: told.title ?? "", can_allow };
    const ended = AbortSignal.any([signal, this.#gone.signal]);
    return this.#silence.excused(() => report.ask({ ...asked, arguments: rawInputOf(told) }, ended));
  }

  /** That a connection is closed says less than why its program is gone. */
  async #wordsOf(error: unknown): Promise<unknown> {
    const { signal } = this.#connection;
    return signal.aborted && error === signal.reason ? new Error(await this.#over) : wordsOf(error);
  }

  async #lost(): Promise<never> {
    throw new Error(await this.#over);
  }

  async #soon<T>(asked: Promise<T>, what: string, signal: AbortSignal): Promise<T> {
    const { start_ms } = this.#limits;
    const late = Promise.withResolvers<never>();
    const why = `The program did not answer ${what} within ${start_ms / 1000} s.`;
    const timer = setTimeout(() => late.reject(new Error(why)), start_ms);
    try {
      return await unlessAborted(Promise.race([asked, late.promise, this.#lost()]), signal);
    } catch (error) {
      throw await this.#wordsOf(error);
    } finally {
      clearTimeout(timer);
      asked.catch(() => {});
    }
  }
}
