import type { Hub } from "../hub.ts";
import type { Route } from "./router.ts";

/** What a browser finds at the hub's address: what this is and how to go on. */
export function indexRoutes(hub: Hub): Route[] {
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Parley</title>
<h1>Parley is running</h1>
<p>Version ${hub.version}. Agents connect to <code>/mcp</code> with a token:</p>
<pre>parley token create --role agent --name scout</pre>
<p>People talk to them with <code>parley chat send</code> and <code>parley chat tail</code>.
The HTTP contract is at <a href="/openapi.json">/openapi.json</a>.</p>
</html>
`;
  return [
    {
      method: "GET",
      path: "/",
      open: ({ response }) =>
        void response
          .writeHead(200, {
            "content-type": "text/html; charset=utf-8",
            "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
            "x-content-type-options": "nosniff",
          })
          .end(page),
    },
  ];
}
