import { spawn } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { visibleLine } from "../../visible.ts";
import { defineCommand } from "../core/command.ts";
import { loginLink } from "./login.ts";

export const open = defineCommand({
  people: true,
  examples: ["open"],
  details: "Opens the page in your browser and signs it in. Where no browser can be opened it says what to open.",
  async run(cli) {
    const { url, principal } = await loginLink(cli);
    const page = redirectTo(url, join(cli.home.path, "open.html"));
    const opened = await start(page);
    await cli.out.result({ opened, principal, ...(!opened && { url }) }, () =>
      opened ? `Opened the page, signed in as ${visibleLine(principal)}.` : `Open ${cli.out.bold(url)}`,
    );
  },
});

/** The link is as good as a password for a few minutes, and whatever is called with it shows it to every user here. */
function redirectTo(url: string, file: string): string {
  rmSync(file, { force: true });
  const html = `<!doctype html><meta http-equiv="refresh" content="0;url=${url}"><title>Parley</title>`;
  writeFileSync(file, html, { flag: "wx", mode: 0o600 });
  return file;
}

const OPENERS: Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["cmd", "/c", "start", ""],
};

/** Whether it was opened, as far as the program says that the system opens pages with. */
function start(page: string): Promise<boolean> {
  const [program, ...words] = OPENERS[process.platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(program, [...words, page], { detached: true, stdio: "ignore" });
    child.on("error", () => resolve(false));
    child.on("exit", (code) => resolve(code === 0));
  });
}
