import { getContext, setContext } from "svelte";
import {
  type Client,
  type ClientState,
  createClient,
  fetchTransport,
  HubError,
  type Transport,
} from "$client/index.ts";
import { isRecord } from "./contents.ts";
import { firstAhead, forgetFirst, withFirst } from "./first.ts";
import { keep, onKept, recall } from "./kept.ts";
import { otherIn, postJson, refusalIn } from "./post.ts";
import { StreamSlots } from "./stream-slots.ts";
import type { Tools } from "./types.ts";

export type Me = Tools["whoami"]["output"];

type Phase =
  | { at: "starting" }
  /** `why` is there when something was tried and refused. */
  | { at: "signed-out"; why: string | undefined }
  | { at: "in"; me: Me };

const ASK_AGAIN_MS = 1500;

/** The page's connection to its hub, and who is sitting in front of it. */
export class Hub {
  phase = $state.raw<Phase>({ at: "starting" });
  connection = $state.raw<ClientState>({ state: "idle" });
  /** Since when, by our own clock, the hub has not answered even once. */
  waiting_since = $state<number>();
  /** The name of who is signed in. */
  readonly mine = $derived(this.phase.at === "in" ? this.phase.me.principal : undefined);
  /** Whether the hub can be written to, as far as is known. */
  readonly live = $derived(this.connection.state !== "offline" && this.connection.state !== "denied");
  /** A link was opened that signs in somebody else than who is signed in. Nothing has happened yet. */
  other = $state.raw<{ code: string; principal: string }>();
  #signing_out = false;
  /** The space of who is here, as the hub said it. */
  #space: string | undefined;
  #client: Client = this.#connect();
  readonly #slots = new StreamSlots(() => this.#client);

  constructor() {
    // Another tab has found out who it is. Who is signed out here stays so until they ask.
    onKept((name, text) => {
      const me = name === "me" ? meIn(text) : undefined;
      if (me && this.phase.at === "in") this.#greet(me);
    });
  }

  get client(): Client {
    return this.#client;
  }

  get me(): Me {
    if (this.phase.at !== "in") throw new Error("nobody is signed in");
    return this.phase.me;
  }

  /** Signs in with the code, if there is one, then finds out who this is. */
  async start(code: string | undefined, replace = false): Promise<void> {
    const refused = code === undefined ? undefined : await this.#exchange(code, replace);
    // Who it was the last time: the page need not wait to hear that it still is.
    const known = code === undefined ? meIn(recall("me")) : undefined;
    if (known && this.phase.at !== "in") this.#greet(known);
    for (;;)
      try {
        const client = this.#client;
        const me = await client.call("whoami", {});
        // In another tab somebody has signed in since: what is known by now is newer.
        if (client !== this.#client) continue;
        this.waiting_since = undefined;
        this.#greet(me);
        keep("me", JSON.stringify(me));
        if (replace) this.other = undefined;
        return;
      } catch (error) {
        if (!(error instanceof HubError && error.passing)) return this.leave(refused);
        this.waiting_since ??= Date.now();
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MS));
      }
  }

  async signOut(): Promise<void> {
    this.#signing_out = true;
    try {
      const response = await postJson("/logout", {});
      if (!response.ok && response.status !== 401) throw new Error(await refusalIn(response));
      this.leave(undefined);
    } finally {
      this.#signing_out = false;
    }
  }

  /** Everything that was open is closed; the next one to sign in gets a connection of their own. */
  leave(why: string | undefined): void {
    keep("me", null);
    this.other = undefined;
    this.#closeAll();
    this.phase = { at: "signed-out", why };
  }

  /** The cookie is every tab's: whoever signs in takes the place of who was here before. */
  #greet(me: Me): void {
    const before = this.phase.at === "in" ? this.phase.me : undefined;
    // Nor is what was asked of another space an answer about this one.
    if (before && (before.principal !== me.principal || before.space !== me.space)) this.#closeAll();
    this.#space = me.space;
    if (JSON.stringify(before) !== JSON.stringify(me)) this.phase = { at: "in", me };
  }

  #closeAll(): void {
    forgetFirst();
    this.#space = undefined;
    this.#client[Symbol.dispose]();
    this.#client = this.#connect();
    this.#slots.arrange();
  }

  #connect(): Client {
    const transport = fetchTransport("");
    // Tools of the workspace take no space for granted, so the one that the page shows is named with every request. Which
    // one that is, whoami says: what is remembered of it may be gone.
    const inSpace: Transport = ({ headers, ...request }) => {
      const space = headers["mcp-name"] === "whoami" ? undefined : this.#space;
      return transport({ ...request, headers: { ...headers, ...(space && { "x-session-id": space }) } });
    };
    const client = createClient({ transport: withFirst(inSpace), ahead_ms: firstAhead() });
    client.onState((state) => {
      this.connection = state;
      // It may be heard before the answer to whoever asked for it, who need not be told.
      const why = this.#signing_out ? undefined : "This browser's session has ended.";
      if (state.state === "denied") queueMicrotask(() => this.leave(why));
    });
    return client;
  }

  /** The sentence of a refusal, or nothing when it worked or there is something to ask first. */
  async #exchange(code: string, replace: boolean): Promise<string | undefined> {
    try {
      const response = await postJson("/login", { code, ...(replace && { replace }) });
      const principal = await otherIn(response);
      if (!replace) this.other = principal === undefined ? undefined : { code, principal };
      return response.ok || principal !== undefined ? undefined : await refusalIn(response);
    } catch {
      // Nobody answers. Who was signed in already still is; for everybody else this says what to do.
      return "The hub could not be reached. Open the link again.";
    }
  }
}

function meIn(text: string | null): Me | undefined {
  if (text === null) return undefined;
  try {
    const me: unknown = JSON.parse(text);
    // Whatever it says is only shown until the hub has said it.
    return isRecord(me) && typeof me.principal === "string" && Array.isArray(me.roles) ? (me as Me) : undefined;
  } catch {
    return undefined;
  }
}

const KEY = Symbol("hub");
export const provideHub = (): Hub => setContext(KEY, new Hub());
export const useHub = (): Hub => getContext<Hub>(KEY);
