import { createHash } from "node:crypto";
/** The built web app, as the hub serves it. */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { onDatabase, type TestHub } from "../testing/hub.ts";
import { rawRequest } from "../testing/raw-http.ts";

const PAGE = '<!doctype html><script src="/_app/immutable/start.js"></script>';
const TYPED = '<meta name="parley-typed" content="">';
const SCRIPT = "console.log('hello');".repeat(20);
const HTML = { accept: "text/html,application/xhtml+xml,*/*;q=0.8" };

// Files are served without a database.
onDatabase("sqlite", (open) => {
  let hub: TestHub;
  let web: string;
  beforeEach(async () => {
    const folder = mkdtempSync(join(tmpdir(), "parley-web-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    web = join(folder, "build");
    file("../secret.txt", "not for you");
    file("index.html", PAGE);
    file("favicon.svg", "<svg/>");
    file("_app/immutable/start.js", SCRIPT);
    file("_app/immutable/start.js.gz", gzipSync(SCRIPT));
    file("_app/immutable/start.js.br", brotliCompressSync(SCRIPT));
    file("_app/version.json", "{}");
    file("notes.xyz", "of no kind we know");
    hub = await open({ config: { web } });
  });

  const file = (path: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(web, path)), { recursive: true });
    writeFileSync(join(web, path), content);
  };
  const get = (path: string, headers: Record<string, string> = {}) => fetch(hub.url + path, { headers });

  test("the page comes under a policy that lets nothing in from elsewhere and runs nothing else written into it", async () => {
    const response = await get("/");
    expect([response.status, await response.text()]).toEqual([200, PAGE]);
    const policy = response.headers.get("content-security-policy") ?? "";
    expect(policy).toMatch(/^default-src 'self';/);
    expect(policy).toMatch(/frame-ancestors 'none'/);
    expect(policy).toMatch(/require-trusted-types-for 'script'; trusted-types svelte-trusted-html$/);
    expect(policy).toMatch(/; script-src 'self'; style-src 'self' 'unsafe-hashes' 'sha256-[^ ]+'; /);
    expect(policy).not.toMatch(/unsafe-(?!hashes)|https?:|\*/);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-cache",
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
    });
  });

  test("a script that stands in the page of the build runs by its own letters, and no other does", async () => {
    const start = "\n  import('/_app/start.js');\n";
    file("index.html", `<!doctype html><body><script src="/first.js"></script><script>${start}</script></body>`);
    const hash = createHash("sha256").update(start).digest("base64");
    const policy = (await get("/")).headers.get("content-security-policy");
    expect(policy).toContain(`; script-src 'self' 'sha256-${hash}'; `);
    expect((await get("/favicon.svg")).headers.get("content-security-policy")).toContain("; script-src 'self'; ");
  });

  test("what is named by its contents is kept for ever, everything else is asked for again and not sent twice", async () => {
    const script = await get("/_app/immutable/start.js");
    expect(script.headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    expect(script.headers.get("content-type")).toBe("text/javascript; charset=utf-8");
    for (const path of ["/", "/favicon.svg", "/_app/version.json"]) {
      const first = await get(path);
      expect(first.headers.get("cache-control")).toBe("no-cache");
      const again = await get(path, { "if-none-match": first.headers.get("etag") ?? "" });
      expect([again.status, await again.text()]).toEqual([304, ""]);
    }
  });

  test("what was packed beforehand is sent packed to whoever takes it", async () => {
    const path = "/_app/immutable/start.js";
    const encoding = async (accepted: string): Promise<[string | null, boolean]> => {
      const response = await get(path, { "accept-encoding": accepted });
      return [response.headers.get("content-encoding"), (await response.text()) === SCRIPT];
    };
    expect(await encoding("gzip, deflate, br")).toEqual(["br", true]);
    expect(await encoding("gzip;q=0.8, br;q=0")).toEqual(["gzip", true]);
    expect(await encoding("identity")).toEqual([null, true]);
    expect((await get(path)).headers.get("vary")).toBe("Accept-Encoding");
  });

  test("an address of the app's own is its page, for a browser that goes there; for everything else there is nothing", async () => {
    for (const path of ["/chat", "/chat/scout", "/settings?x=1", "/chat/scout.js"])
      expect(await (await get(path, HTML)).text()).toBe(PAGE);
    const nothing: [string, Record<string, string>][] = [
      ["/chat", { accept: "application/json" }],
      ["/chat", { accept: "*/*" }],
      ["/_app/immutable/gone.js", HTML],
      ["/api/nothing", HTML],
      ["/notes.xyz", {}],
    ];
    for (const [path, headers] of nothing) {
      const response = await get(path, headers);
      expect([path, response.status, await response.json()]).toEqual([
        path,
        404,
        expect.objectContaining({ code: "NOT_FOUND" }),
      ]);
    }
    expect((await fetch(`${hub.url}/chat`, { method: "POST", headers: HTML })).status).toBe(404);
    expect((await fetch(`${hub.url}/`, { method: "HEAD" })).status).toBe(200);
  });

  test("no path leads out of the folder", async () => {
    const ways = [
      "/../secret.txt",
      "/%2e%2e/secret.txt",
      "/..%2fsecret.txt",
      "/_app/..%2f..%2f..%2fsecret.txt",
      "/%2e%2e%5csecret.txt",
      "//secret.txt",
      "/%00",
      "/secret.txt",
    ];
    for (const path of ways) {
      const response = await get(path);
      expect([path, response.status]).toEqual([path, 404]);
    }
    expect((await get("/%zz")).status).toBe(400);
  });

  test("on this machine the page knows what is typed here; from elsewhere it is told nothing of the machine", async () => {
    const typed = { program: "'/opt/a \"b\" & <c>/bin/parley'", place: "--home /srv/data" };
    hub = await open({ config: { web, typed, allowed_hosts: ["hub.example"] } });
    file("index.html", TYPED + PAGE);
    const port = new URL(hub.url).port;
    const page = async (...headers: string[]): Promise<string> => {
      const { text } = await rawRequest(hub.url, ["GET / HTTP/1.1", ...headers]);
      return /<meta [^>]*>/.exec(text)?.[0] ?? text;
    };
    const local = `<meta name="parley-typed" content="'/opt/a &quot;b&quot; &amp; &lt;c&gt;/bin/parley'" data-place="--home /srv/data">`;
    for (const host of ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"])
      expect([host, await page(`Host: ${host}:${port}`)]).toEqual([host, local]);
    const elsewhere = [["Host: hub.example"], [`Host: localhost:${port}`, "X-Forwarded-For: 203.0.113.7"]];
    elsewhere.push([`Host: localhost:${port}`, "Forwarded: for=203.0.113.7"]);
    for (const headers of elsewhere) expect([headers, await page(...headers)]).toEqual([headers, TYPED]);

    // A browser that was here before and comes from elsewhere now is not told that nothing has changed.
    const { etag } = Object.fromEntries((await get("/")).headers);
    const again = await rawRequest(hub.url, ["GET / HTTP/1.1", "Host: hub.example", `If-None-Match: ${etag}`]);
    expect(again.status).toBe(200);

    rmSync(web, { recursive: true });
    const lines = { here: "/bin/parley' chat send --home /srv/data<", elsewhere: ">parley chat send<" };
    expect(await (await get("/")).text()).toContain(lines.here);
    const forwarded = await get("/", { "x-forwarded-for": "203.0.113.7" });
    expect(await forwarded.text()).toContain(lines.elsewhere);
  });

  test("built anew it is served anew, and without a build a small page says how to go on", async () => {
    file("index.html", "<p>new");
    utimesSync(join(web, "index.html"), new Date(), new Date(Date.now() + 5000));
    expect(await (await get("/")).text()).toBe("<p>new");
    rmSync(web, { recursive: true });
    expect(await (await get("/")).text()).toContain("Parley is running");
    expect((await get("/chat", HTML)).status).toBe(404);
  });
});
