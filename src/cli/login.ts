import { defineCommand } from "./command.ts";
import { visibleLine } from "./visible.ts";

export const login = defineCommand({
  people: true,
  examples: ["login", "login --name ana", "login --json"],
  details:
    "The link signs in one browser within ten minutes; opening it twice there does no harm. Sign out in the page, or end it with `parley token revoke`.",
  options: {
    name: { type: "text", value: "NAME", description: "who is to sign in (default: whoever you act as)" },
  },
  async run(cli, { name }) {
    const made = await cli.call<{ code: string; principal: string; expires_at: string }>("login_create", {
      ...(name && { name }),
    });
    const { target } = await cli.connect();
    const { code, ...about } = made;
    const url = `${target.url.replace(/\/$/, "")}/#code=${code}`;
    await cli.out.result({ url, ...about }, () =>
      [
        `Open ${cli.out.bold(url)}`,
        `It signs one browser in as ${visibleLine(about.principal)}, until ${visibleLine(about.expires_at)}.`,
      ].join("\n"),
    );
  },
});
