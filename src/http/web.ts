import { createHash } from "node:crypto";
import { type Dirent, readdirSync, readFileSync, statSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import type { Config, Typed } from "../config.ts";
import { ParleyError } from "../errors.ts";
import { header } from "../header.ts";
import type { Hub } from "../hub.ts";
import { indexPage } from "./index-page.ts";
import type { Request, Route } from "./router.ts";
import { isHere, withTyped } from "./typed.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** The one style that is no file: how SvelteKit hides what it reads aloud when another page is shown. */
const ANNOUNCER = "'sha256-S8qMpvofolR8Mpjy4kQvEm7m1q8clzU4dfDH0AmvZjo='";

/** Nothing from elsewhere and nothing written into the page: what a message smuggles in does not run. */
const policyWith = (scripts: readonly string[]): string =>
  [
    "default-src 'self'",
    // What starts the app stands in the page: those very letters, and no others.
    ["script-src 'self'", ...scripts].join(" "),
    `style-src 'self' 'unsafe-hashes' ${ANNOUNCER}`,
    "img-src 'self' data:",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    // No text becomes HTML but the templates that Svelte has built in.
    "require-trusted-types-for 'script'",
    "trusted-types svelte-trusted-html",
  ].join("; ");

const HEADERS = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  vary: "Accept-Encoding",
};

/** Preferred first. */
const ENCODINGS = [
  ["br", ".br"],
  ["gzip", ".gz"],
] as const;

/** Every address of the app's own is this file. */
const PAGE = "/index.html";

/** What the build names by its contents never changes. */
const IMMUTABLE = "/_app/immutable/";

interface File {
  type: string;
  etag: string;
  policy: string;
  /** By encoding; "" is the file as it is. */
  bodies: ReadonlyMap<string, Buffer>;
}

/** The built web app, or while there is none a page that says what this is. */
export function webRoutes(hub: Hub): { index: Route; fallback: Route } {
  const app = new WebApp(hub.config);
  const page = indexPage(hub);
  return {
    index: {
      method: "GET",
      path: "/",
      open: ({ request, response }) => {
        // Whoever asks here wants the page, whatever kinds it says it takes.
        if (!app.serve(PAGE, request, response)) page(request, response);
      },
    },
    // Whatever else has no route: a file, or an address that the app itself understands.
    fallback: {
      method: "GET",
      path: "/*",
      open: ({ request, response, params }: Request) => {
        if (app.serve(params.path ?? "", request, response)) return;
        throw new ParleyError("NOT_FOUND", "There is nothing at this address.");
      },
    },
  };
}

class WebApp {
  readonly #folder: string;
  readonly #typed: Typed;
  /** The page for who sits at this machine. */
  #page_here: File | undefined;
  #files: ReadonlyMap<string, File> = new Map();
  #built_at = 0;

  constructor({ web, typed }: Config) {
    this.#folder = web;
    this.#typed = typed;
  }

  /** False if there is no such thing. */
  serve(path: string, request: IncomingMessage, response: ServerResponse): boolean {
    this.#refresh();
    const file = this.#find(path, request);
    if (!file) return false;
    const cached = path.startsWith(IMMUTABLE) ? "public, max-age=31536000, immutable" : "no-cache";
    const headers = { ...HEADERS, "content-security-policy": file.policy, etag: file.etag, "cache-control": cached };
    if (header(request, "if-none-match") === file.etag) {
      response.writeHead(304, headers).end();
      return true;
    }
    const [encoding, body] = chosen(file, header(request, "accept-encoding") ?? "");
    response
      .writeHead(200, {
        ...headers,
        ...(encoding && { "content-encoding": encoding }),
        "content-type": file.type,
        "content-length": body.length,
      })
      .end(body);
    return true;
  }

  #find(path: string, request: IncomingMessage): File | undefined {
    const file = this.#files.get(path);
    if (path !== PAGE && (file || !isPage(path, request))) return file;
    return (isHere(request) && this.#page_here) || this.#files.get(PAGE);
  }

  /** Everything is read once; only what was found then is ever served. Built anew, it is read anew. */
  #refresh(): void {
    const built_at = statSync(join(this.#folder, PAGE), { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (built_at === this.#built_at) return;
    this.#built_at = built_at;
    this.#files = built_at === 0 ? new Map() : readFiles(this.#folder);
    const page = withTyped(this.#files.get(PAGE)?.bodies.get("")?.toString() ?? "", this.#typed);
    this.#page_here = page === undefined ? undefined : fileOf(PAGE, Buffer.from(page));
  }
}

/** A browser that goes to an address of the app, and not a script that asks for a file or a tool that is not there. */
const isPage = (path: string, request: IncomingMessage): boolean =>
  !/^\/(api|mcp|_app)(\/|$)/.test(path) && /\btext\/html\b/.test(header(request, "accept") ?? "");

function readFiles(folder: string): Map<string, File> {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const bodies = new Map(entries.map((entry) => [urlPath(folder, entry), readFileSync(fullPath(entry))]));
  const files = new Map<string, File>();
  for (const [path, body] of bodies) {
    if (!TYPES[extname(path)]) continue;
    const packed = ENCODINGS.flatMap(([encoding, end]) => {
      const smaller = bodies.get(path + end);
      return smaller ? [[encoding, smaller] as const] : [];
    });
    files.set(path, fileOf(path, body, packed));
  }
  return files;
}

function fileOf(path: string, body: Buffer, packed: readonly (readonly [string, Buffer])[] = []): File {
  const etag = `"${createHash("sha256").update(body).digest("base64url").slice(0, 22)}"`;
  const policy = policyWith(extname(path) === ".html" ? scriptsIn(body.toString()) : []);
  return { type: TYPES[extname(path)] ?? "", etag, policy, bodies: new Map([...packed, ["", body]]) };
}

/** The scripts that stand in a page of the build, as a policy names them. */
const scriptsIn = (html: string): string[] =>
  Array.from(
    html.matchAll(/<script>([\s\S]*?)<\/script>/g),
    ([, code = ""]) => `'sha256-${createHash("sha256").update(code).digest("base64")}'`,
  );

const fullPath = ({ parentPath, name }: Dirent): string => join(parentPath, name);
const urlPath = (folder: string, entry: Dirent): string => `/${relative(folder, fullPath(entry)).split(sep).join("/")}`;

function chosen({ bodies }: File, accepted: string): [encoding: string, body: Buffer] {
  const names = accepted.split(",").map((part) => part.trim());
  for (const [encoding, body] of bodies)
    if (
      encoding === "" ||
      names.some((name) => name === encoding || (name.startsWith(`${encoding};`) && !/q=0(\.0*)?$/.test(name)))
    )
      return [encoding, body];
  return ["", Buffer.alloc(0)];
}
