import { accessSync, constants } from "node:fs";
import type { Cli } from "../core/cli.ts";
import { reasonOf } from "../core/failure.ts";
import { isOnPath, onPath } from "../core/program.ts";
import { linkHere, pathLine } from "../hub/link.ts";
import { LAUNCHER } from "../root.ts";
import { type Check, fail, type Patient, pass, VERSION, warn } from "./check.ts";

const LEAST_NODE = 24;

export function checkMachine({ cli }: Patient): Check[] {
  const { node, sqlite } = process.versions;
  const versions = `Parley ${VERSION} on Node ${node}, SQLite ${sqlite ?? "unknown"}.`;
  return [
    Number.parseInt(node, 10) >= LEAST_NODE
      ? pass("version", versions)
      : fail("version", versions, `It needs Node ${LEAST_NODE} or later: npm install in its folder brings one along.`),
    launcher(),
    path(cli),
  ];
}

/** What is printed works either way; without it a path is typed each time. */
function path(cli: Cli): Check {
  const found = onPath(process.env.PATH ?? "");
  if (found && isOnPath(process.env.PATH ?? "")) return pass("PATH", `parley is ${found}.`);
  const sentence = found ? `parley on your PATH is another one, ${found}.` : "parley is not on your PATH.";
  const linked = linkHere();
  return linked === undefined
    ? warn("PATH", sentence, `Put this one there: ${cli.line("link")}`)
    : warn(
        "PATH",
        `${sentence} There is a link, ${linked}.`,
        `Put this into ~/.profile, and sign in anew: ${pathLine(linked)}`,
      );
}

/** What hooks call. */
function launcher(): Check {
  try {
    accessSync(LAUNCHER, constants.X_OK);
    return pass("launcher", LAUNCHER);
  } catch (error) {
    return fail("launcher", `${LAUNCHER}: ${reasonOf(error)}.`, `chmod +x ${LAUNCHER}`);
  }
}
