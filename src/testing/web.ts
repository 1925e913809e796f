/** A hub with the web app, and people in front of it. */
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import type { Config } from "../config.ts";
import { visitor, Watched, type Window } from "./browser.ts";
import { freePort } from "./ports.ts";
import { Ground, type ServedHub, until } from "./process.ts";

const BUILD = fileURLToPath(new URL("../../web/build/index.html", import.meta.url));

/** In this process, which takes a tenth of the time. */
export class WebHub implements AsyncDisposable {
  readonly #ground: Ground;
  readonly #browser: Browser;
  readonly #contexts: BrowserContext[] = [];
  #pass: ((ms: number) => Promise<void>) | undefined;
  readonly url: string;
  readonly home: string;

  static async open(browser: Browser, settings: Partial<Config> = {}): Promise<WebHub> {
    const ground = new Ground({ in_process: true });
    let ahead_ms = 0;
    const clock = { now: () => Date.now() + ahead_ms, passed: () => performance.now() };
    const hosted = await ground.host({ port: await freePort(), ...settings }, clock);
    const hub = new WebHub(browser, ground, hosted);
    hub.#pass = (ms) => {
      ahead_ms += ms;
      return hosted.sweep();
    };
    return hub;
  }

  protected constructor(browser: Browser, ground: Ground, { url, home }: { url: string; home: string }) {
    if (!existsSync(BUILD)) throw new Error("The web app is not built. Run: node scripts/ready.mjs");
    this.#browser = browser;
    this.#ground = ground;
    this.url = url;
    this.home = home;
  }

  get admin(): string {
    return readFileSync(join(this.home, "admin.token"), "utf8").trim();
  }

  /** What the page tells to type on this machine. */
  line(command: string): string {
    return this.#ground.line(command);
  }

  /** The hub's clock is set ahead, and what became due is done. */
  async pass(ms: number): Promise<void> {
    if (!this.#pass) throw new Error("The clock of a hub that is a program of its own is the machine's.");
    await this.#pass(ms);
  }

  /** A link that signs a browser in. */
  async link(name?: string): Promise<string> {
    const { url } = await this.#ground.json<{ url: string }>(["login", ...(name ? ["--name", name] : [])]);
    return url;
  }

  /** Opens the page in a browser of its own, signed in: the first one, or the one that is named. */
  async signedIn({ at = "/", ...options }: BrowserContextOptions & { at?: string } = {}): Promise<Watched> {
    const link = new URL(await this.link());
    const context = await visitor(this.#browser, options);
    this.#contexts.push(context);
    const watched = new Watched(await context.newPage(), this.url);
    await watched.page.goto(`${this.url}${at}${link.hash}`);
    await watched.page.locator("#main").waitFor();
    return watched;
  }

  /** The same in the first tab of a window. */
  async signIn(window: Window): Promise<Page> {
    const [page] = window.context.pages();
    if (!page) throw new Error("The window has no tab.");
    await page.goto(await this.link());
    // Without this the next tab might be opened before the cookie is there.
    await page.locator("#main").waitFor();
    return page;
  }

  /** Registers an agent; gives what it says something with. */
  async agent(name: string): Promise<Speaker> {
    const { token } = await this.call<{ token: string }>("token_create", { role: "agent", name });
    return {
      token,
      say: (content, mime) =>
        this.call("chat_assistant_post", { content, ...(mime && { mime }) }, token).then(({ id }) => String(id)),
    };
  }

  /** The owner answers a notice as it says now. */
  async settle(answer: { id: string; choice: string }): Promise<void> {
    const { notices } = await this.call<{ notices: { id: string; digest: string }[] }>("notice_list", { limit: 100 });
    const digest = notices.find(({ id }) => id === answer.id)?.digest;
    await this.call("notice_settle", { ...answer, digest });
  }

  async call<T = Record<string, unknown>>(tool: string, args: object = {}, token = this.admin): Promise<T> {
    const response = await fetch(`${this.url}/api/tools/${tool}`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "x-session-id": "main" },
      body: JSON.stringify(args),
    });
    const body = await response.json();
    if (!response.ok) throw new Error(`${tool}: ${JSON.stringify(body)}`);
    // The caller knows what the tool answers.
    return body as T;
  }

  /** How many streams the hub has open. */
  async streams(): Promise<number> {
    const response = await fetch(`${this.url}/metrics`, { headers: { authorization: `Bearer ${this.admin}` } });
    const lines = (await response.text()).matchAll(/^parley_streams_open\S* (\d+)$/gm);
    return [...lines].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  /** Its pages first: one that is left open would go on looking for the hub, and what stands in for it fail. */
  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#contexts.flatMap((context) => context.pages()).map(letThrough));
    await Promise.all(this.#contexts.map((context) => context.close()));
    await this.#ground[Symbol.asyncDispose]();
  }
}

/** As a program of its own. */
export class KillableWebHub extends WebHub {
  readonly #ground: Ground;
  #served: ServedHub;

  static override async open(browser: Browser): Promise<KillableWebHub> {
    const ground = new Ground();
    return new KillableWebHub(browser, ground, await ground.serve(["--port", String(await freePort())]));
  }

  private constructor(browser: Browser, ground: Ground, served: ServedHub) {
    super(browser, ground, served);
    this.#ground = ground;
    this.#served = served;
  }

  /** Dies without a word, and comes back at the same address. */
  async kill(): Promise<void> {
    await this.#served.kill("SIGKILL");
  }

  async restart(): Promise<void> {
    this.#served = await this.#ground.serve(["--port", new URL(this.url).port]);
  }

  /** Copies the data of the hub, which is stopped for it. */
  async backup(): Promise<void> {
    await this.#served.kill("SIGTERM");
    cpSync(this.#ground.home, this.#copy, { recursive: true });
    await this.restart();
  }

  /** Stops the hub and puts its data back to the copy. */
  async putBack(): Promise<void> {
    await this.#served.kill("SIGTERM");
    rmSync(this.#ground.home, { recursive: true });
    cpSync(this.#copy, this.#ground.home, { recursive: true });
    await this.restart();
  }

  get #copy(): string {
    return join(this.#ground.folder, "copy");
  }
}

export interface Speaker {
  token: string;
  say(content: string, mime?: string): Promise<string>;
}

/** Lets everything through to the hub again. What is just being held back may go nowhere any more. */
export const letThrough = (page: Page): Promise<void> => page.unrouteAll({ behavior: "ignoreErrors" });

export const composer = (page: Page) => page.getByRole("textbox", { name: /^Message to/ });
export const log = (page: Page) => page.getByRole("log");

/** Writes it and presses Enter. */
export async function say(page: Page, text: string): Promise<void> {
  await composer(page).fill(text);
  await composer(page).press("Enter");
}

/** What is said shows at once. This is when the hub has answered. */
export const sent = (page: Page) => until(async () => (await page.getByText("Sending …").count()) === 0);

export interface Letter {
  subject: string;
  body: string;
  to?: string[];
  priority?: string;
  deadline?: string;
  thread_id?: string;
}

/** Mail of an agent's, to the people if it says nothing else. */
export const sendMail = (hub: WebHub, from: Speaker, { to = ["User"], ...letter }: Letter) =>
  hub.call<{ id: string; thread_id: string }>("mail_send", { to, ...letter }, from.token);

/** The way to the mail in the bar of sections. */
export const mailLink = (page: Page) =>
  page.getByRole("navigation", { name: "Sections" }).getByRole("link", { name: /Mail/ });
const rows = (page: Page) => page.locator("a[data-mail]");
export const mailRow = (page: Page, subject: string) =>
  rows(page).filter({ has: page.locator(".subject").getByText(subject, { exact: true }) });
/** The subjects that are listed, from the top. */
export const mailRows = (page: Page): Promise<string[]> => rows(page).locator(".subject").allTextContents();
