import { defineCommand } from "../core/command.ts";
import { quoted } from "../core/program.ts";
import { CLIENT } from "../hooks/events.ts";
import { launchFor } from "../hooks/settings-paths.ts";
import { LAUNCHER } from "../root.ts";

export const config = defineCommand({
  format: "text",
  examples: ["mcp-config", "mcp-config --client codex"],
  details:
    "What to put into a client's settings so that its sessions have Parley's tools, each as the agent that its hooks and commands are. For Claude Code: claude mcp add-json --scope user parley \"$(parley mcp-config)\". For Codex: add it to ~/.codex/config.toml.",
  options: {
    client: CLIENT,
  },
  async run(cli, { client }) {
    const { options } = launchFor(cli, client, false);
    const url = new URL("/mcp", (await cli.connect()).target.url).href;
    // It tells an MCP server nothing about its session. Its hooks have the same environment, so they are the same agent.
    if (client === "codex")
      return cli.out.write(`[mcp_servers.parley]\nurl = ${JSON.stringify(url)}\nbearer_token_env_var = "PARLEY_TOKEN"`);
    const headersHelper = ["exec", quoted(LAUNCHER), "mcp-headers", ...options.map(quoted)].join(" ");
    await cli.out.write(JSON.stringify({ type: "http", url, headersHelper }));
  },
});
