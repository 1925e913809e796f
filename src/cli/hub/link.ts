import { existsSync, lstatSync, mkdirSync, readlinkSync, realpathSync, symlinkSync, unlinkSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { ifThere } from "../../local/files.ts";
import { defineCommand, text } from "../core/command.ts";
import { Failure } from "../core/failure.ts";
import { isOnPath, quoted } from "../core/program.ts";
import { LAUNCHER } from "../root.ts";

const USUAL = "~/.local/bin";

export const link = defineCommand({
  people: true,
  examples: ["link", "link --dir ~/bin"],
  details:
    "Makes a link to this program in a folder of yours that shells look into, so that `parley` alone runs it. It touches nothing but that link, and replaces none that leads elsewhere.",
  options: {
    dir: text("DIR", "where to put it (default ~/.local/bin)"),
  },
  async run(cli, { dir }) {
    const folder = resolve((dir ?? USUAL).replace(/^~(?=$|\/)/, homedir()));
    const path = join(folder, "parley");
    refuseOther(path);
    mkdirSync(folder, { recursive: true });
    if (lstatSync(path, { throwIfNoEntry: false })) unlinkSync(path);
    symlinkSync(LAUNCHER, path);
    const found = isOnPath(cli.io.env.PATH ?? "");
    await cli.out.result({ path, target: LAUNCHER, on_path: found }, () =>
      found
        ? `parley now runs ${LAUNCHER}, by the link ${path}.`
        : `${path} is a link to ${LAUNCHER} now. Your PATH does not lead there yet; add this to ~/.profile, and sign in anew:\n  ${pathLine(path)}`,
    );
  },
});

/** The link that this command made, if it is still there. */
export function linkHere(): string | undefined {
  const path = join(USUAL.replace("~", homedir()), "parley");
  return existsSync(path) && leadsHere(path) ? path : undefined;
}

/** What makes shells find it. */
export const pathLine = (link: string): string => `export PATH=${quoted(dirname(link))}:"$PATH"`;

/** A program of that name that is not ours stays. A link that leads nowhere any more is in nobody's way. */
function refuseOther(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (!there || (there.isSymbolicLink() && leadsHere(path))) return;
  const what = there.isSymbolicLink() ? `a link to ${readlinkSync(path)}` : "another program";
  throw new Failure("CONFLICT", `${path} is ${what}. Remove it, or choose another folder with --dir.`);
}

const leadsHere = (path: string): boolean => ifThere(() => realpathSync(path) === realpathSync(LAUNCHER)) ?? true;
