import type { IncomingMessage, ServerResponse } from "node:http";
import type { Hub } from "../hub.ts";
import { escaped, typedFor } from "./typed.ts";

/** What a browser finds at the hub's address while there is no web app: what this is and how to go on. */
export function indexPage(hub: Hub): (request: IncomingMessage, response: ServerResponse) => void {
  return (request, response) => {
    const { program, place } = typedFor(request, hub.config);
    const line = (command: string): string => escaped([program, command, place].filter(Boolean).join(" "));
    response
      .writeHead(200, {
        "content-type": "text/html; charset=utf-8",
        "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
        "x-content-type-options": "nosniff",
      })
      .end(page(hub.version, line));
  };
}

const page = (version: string, line: (command: string) => string): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley</title>
<h1>Parley is running</h1>
<p>Version ${version}. Agents connect to <code>/mcp</code> with a token:</p>
<pre>${line("token create --role agent --name scout")}</pre>
<p>People talk to them with <code>${line("chat send")}</code> and <code>${line("chat tail")}</code>.
The HTTP contract is at <a href="/openapi.json">/openapi.json</a>.</p>
</html>
`;
