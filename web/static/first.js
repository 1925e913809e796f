// What cannot wait for the page's own script: the chosen theme, before anything is painted, and the first questions to
// the hub, so that the answers are here when the script is. `lib/hub/first.ts` takes them.
{
  const VERSION = "2026-07-28";
  const META = {
    "io.modelcontextprotocol/protocolVersion": VERSION,
    "io.modelcontextprotocol/clientInfo": { name: "parley-client", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
    "parley/bare": true,
  };

  const questions = new Map();
  globalThis.parley_first = questions;

  const theme = kept("theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;

  // For somebody who was signed in the last time. A link to sign in says that it may be somebody else now.
  if (kept("me") !== null && !location.hash.startsWith("#code=")) {
    const agent = /^\/chat\/([a-z0-9_-]+)$/i.exec(location.pathname)?.[1];
    if (agent !== undefined) {
      call("chat_read_before", { before_id: null, limit: 50, agent });
      call("space_glance", {});
    }
  }

  function kept(name) {
    try {
      return localStorage.getItem(`parley:${name}`);
    } catch {
      // A browser that keeps nothing has no choice of ours to respect, and knows nobody.
      return null;
    }
  }

  function call(name, args) {
    const method = "tools/call";
    const params = { name, arguments: args };
    const question = {};
    question.coming = answerTo(method, name, params).then(
      (answer) => {
        question.answer = answer;
        return answer;
      },
      // Asked again by the page, which knows what to say of it.
      () => undefined,
    );
    questions.set(JSON.stringify([method, params]), question);
  }

  async function answerTo(method, name, params) {
    const response = await fetch("/mcp", {
      method: "POST",
      headers: {
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
        "mcp-protocol-version": VERSION,
        "mcp-method": method,
        "mcp-name": name,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 0, method, params: { ...params, _meta: META } }),
      cache: "no-store",
    });
    const { status, headers } = response;
    if (status !== 200) return undefined;
    const heard_at = Date.now();
    const type = headers.get("content-type") ?? "";
    return { status, type, date: headers.get("date") ?? undefined, heard_at, text: await response.text() };
  }
}
