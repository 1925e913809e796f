import { visibleLine } from "../../visible.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand, text } from "../core/command.ts";

export const login = defineCommand({
  people: true,
  examples: ["login", "login --name ana", "login --json"],
  details:
    "The link signs in one browser within ten minutes; opening it twice there does no harm. Sign out in the page, or end it with parley token revoke.",
  options: {
    name: text("NAME", "who is to sign in (default: whoever you act as)"),
  },
  async run(cli, { name }) {
    const { url, ...about } = await loginLink(cli, name);
    await cli.out.result(
      { url, ...about },
      () =>
        [
          `Open ${cli.out.bold(url)}`,
          `It signs one browser in as ${visibleLine(about.principal)}; use it ${visibleLine(cli.out.time(about.expires_at).replace(/^in /, "within "))}.`,
        ].join("\n"),
      [url],
    );
  },
});

export async function loginLink(cli: Cli, name?: string) {
  const { code, ...about } = await cli.call("login_create", { ...(name && { name }) });
  const { target } = await cli.connect();
  return { url: `${target.url.replace(/\/$/, "")}/#code=${code}`, ...about };
}
