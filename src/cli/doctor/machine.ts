import { accessSync, constants } from "node:fs";
import { LAUNCHER } from "../program.ts";
import { type Check, fail, pass, VERSION } from "./check.ts";

const LEAST_NODE = 24;

export function checkMachine(): Check[] {
  const { node, sqlite } = process.versions;
  const versions = `Parley ${VERSION} on Node ${node}, SQLite ${sqlite ?? "unknown"}.`;
  return [
    Number.parseInt(node, 10) >= LEAST_NODE
      ? pass("version", versions)
      : fail("version", versions, `It needs Node ${LEAST_NODE} or later: npm install in its folder brings one along.`),
    launcher(),
  ];
}

/** What hooks call. */
function launcher(): Check {
  try {
    accessSync(LAUNCHER, constants.X_OK);
    return pass("launcher", LAUNCHER);
  } catch (error) {
    return fail("launcher", `${LAUNCHER}: ${error instanceof Error ? error.message : error}.`, `chmod +x ${LAUNCHER}`);
  }
}
