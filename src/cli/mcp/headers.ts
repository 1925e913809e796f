import { filesOf, resolveActing } from "../core/acting.ts";
import { defineCommand } from "../core/command.ts";
import { Failure } from "../core/failure.ts";
import { pause } from "../core/patience.ts";
import { Claims } from "../hooks/claims.ts";

/** Claude Code gives it ten seconds, and starts the hook that names the session at about the same time. */
const PATIENCE_MS = 8_000;
const PAUSE_MS = 50;

export const headers = defineCommand({
  format: "text",
  examples: ["mcp-headers"],
  details:
    "Called by Claude Code (headersHelper), which sends the hub what it prints: so its MCP tools act as the same agent as the session's hooks and commands, without a token in any configuration. `parley mcp-config` prints the entry.",
  async run(cli) {
    const session_id = await ownSession(new Claims(cli.home.path));
    const { client, agent } = await resolveActing(cli, { session_id, client: "claude-code" });
    // Asked, so that a token that was taken back is replaced now.
    await client.call("whoami", {});
    const token = agent === null || cli.token ? client.target.token : (await filesOf(cli)).agent(agent)?.token;
    const { space } = client.target;
    await cli.out.write(JSON.stringify({ Authorization: `Bearer ${token}`, ...(space && { "X-Session-ID": space }) }));
  },
});

async function ownSession(claims: Claims): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS;
  do {
    const session_id = claims.own();
    if (session_id !== undefined) return session_id;
    await pause(PAUSE_MS);
  } while (performance.now() < deadline);
  throw new Failure(
    "NO_IDENTITY",
    "No hook has said which session this is. Claude Code runs this for its MCP servers; the hooks of Parley have to be installed too: parley hooks install",
  );
}
