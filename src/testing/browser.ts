/** For end-to-end tests of the page: the system's Chromium, driven by Playwright. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";

const WHOLE = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];
/** The same engine without the windows around it, which nobody sees: a page takes a sixth less work. */
const WITHOUT_WINDOWS = ["/usr/lib/chromium/chromium-headless-shell", ...WHOLE];
const ARTIFACTS = fileURLToPath(new URL("../../artifacts/web", import.meta.url));

/**
 * The lists under the address bar are pages of their own, which took as much work as ours. Chromium heeds only the last
 * such flag, so that those that Playwright leaves out for any page of a test stand here too.
 */
const LEFT_OUT = [
  "WebUIOmniboxPopup",
  "WebUIOmniboxAimPopup",
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
];

/** Nothing of its own goes over the network. */
const FLAGS = [
  `--disable-features=${LEFT_OUT.join()}`,
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** Installed where that needs nobody's leave; elsewhere the error says what to run. */
function installed(places: readonly string[]): string {
  const there = places.find((path) => existsSync(path));
  if (there !== undefined && there === places[0]) return there;
  if (process.getuid?.() === 0 && existsSync("/usr/bin/apt-get")) {
    // Several test files may come here at once: apt-get makes them wait for each other.
    const apt = (...args: string[]) =>
      spawnSync("apt-get", ["-o", "DPkg::Lock::Timeout=600", "-qq", ...args], { stdio: "inherit" });
    const packages = ["chromium", "chromium-headless-shell"];
    if (apt("install", "-y", ...packages).status !== 0) {
      apt("update");
      apt("install", "-y", ...packages);
    }
  }
  const now = places.find((path) => existsSync(path));
  if (now) return now;
  throw new Error("The browser tests need Chromium. On Debian or Ubuntu run: sudo apt-get install -y chromium");
}

/** Of the tabs of one person; each person has one of their own. To start another takes as long as to load the page. */
const ONE_RENDERER = "--renderer-process-limit=1";

export const launch = (): Promise<Browser> =>
  chromium.launch({ executablePath: installed(WITHOUT_WINDOWS), args: [...FLAGS, ONE_RENDERER] });

let shared: Promise<Browser> | undefined;

/** One for all the test files of a worker, which ends with it. Each has contexts of its own, and closes them. */
export async function sharedBrowser(): Promise<Browser> {
  shared ??= launch();
  const browser = await shared;
  if (browser.isConnected()) return browser;
  shared = undefined;
  return sharedBrowser();
}

export const closeContexts = (browser: Browser): Promise<unknown> =>
  Promise.all(browser.contexts().map((context) => context.close()));

/**
 * A window as a person has it: of its tabs one is seen and the others are hidden. The pages that Playwright opens by
 * itself all believe that they are seen.
 */
export class Window implements AsyncDisposable {
  readonly context: BrowserContext;
  readonly #browser: Browser;
  readonly #process: ChildProcess;
  readonly #folder: string;

  static async open(): Promise<Window> {
    const folder = mkdtempSync(join(tmpdir(), "parley-browser-"));
    const own = ["--headless=new", "--window-size=1440,900", "--remote-debugging-port=0", `--user-data-dir=${folder}`];
    const process = spawn(installed(WHOLE), [...FLAGS, ...own, "about:blank"], { stdio: ["ignore", "ignore", "pipe"] });
    for await (const line of createInterface({ input: process.stderr })) {
      const address = /^DevTools listening on (ws:\S+)/.exec(line)?.[1];
      if (address === undefined) continue;
      // Nobody reads on, and what is not read would in the end stop it.
      process.stderr.resume();
      const browser = await chromium.connectOverCDP(address, { noDefaults: true });
      return new Window(browser, process, folder);
    }
    throw new Error("Chromium did not say where to reach it.");
  }

  private constructor(browser: Browser, process: ChildProcess, folder: string) {
    this.#browser = browser;
    this.#process = process;
    this.#folder = folder;
    const [context] = browser.contexts();
    if (!context) throw new Error("Chromium has no window.");
    this.context = context;
    context.setDefaultTimeout(90_000);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const gone = once(this.#process, "exit");
      this.#process.kill("SIGKILL");
      await gone;
    }
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** A page, and everything about it that must not happen. */
export class Watched {
  readonly page: Page;
  /** What the browser complained of: errors, warnings, what its policy stopped. */
  readonly complaints: string[] = [];
  /** Addresses of other hosts that were asked for. */
  readonly foreign: string[] = [];

  constructor(page: Page, url: string) {
    this.page = page;
    page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) this.complaints.push(message.text());
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${url}/`) && !request.url().startsWith("data:")) this.foreign.push(request.url());
    });
  }
}

/** A browser of somebody's, with nothing in it. */
export async function visitor(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  context.setDefaultTimeout(90_000);
  return context;
}

/** Kept for people to look at. */
export async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(ARTIFACTS, { recursive: true });
  await page.screenshot({ path: join(ARTIFACTS, `${name}.png`) });
}
