/** Apart from the rest of the runtime: the official client is loaded where something is mounted, and nowhere else. */
export { execMount } from "./exec.ts";
export { mcpMount } from "./mcp-server.ts";
