import { visibleLine } from "../../visible.ts";
import { defineCommand, flag } from "../core/command.ts";
import type { Check, Patient } from "./check.ts";

export const doctor = defineCommand({
  examples: ["doctor", "doctor --fix", "doctor --json"],
  details:
    "Data folder, disk, hub, clock, tokens, identities, hooks, ways to wake an agent, what the runner may start, servers of agents, ends of tasks that triggers are owed, and a round trip in both eras of MCP. It never starts a hub. Exit code 1 when something failed; what only wants attention does not count.",
  options: { fix: flag("put right what can be put right without asking") },
  async run(cli, { fix }) {
    const checks = await examine({ cli, fix });
    const failed = checks.filter(({ state }) => state === "fail").length;
    cli.io.exitCode = failed > 0 ? 1 : 0;
    await cli.out.result({ ok: failed === 0, checks }, () => {
      const width = Math.max(...checks.map(({ name }) => name.length));
      return checks.map((check) => line(check, width)).join("\n");
    });
  },
});

async function examine(patient: Patient): Promise<Check[]> {
  const [{ checkMachine }, { checkFolder, unusable }, { checkHub }, { checkAgents }, { checkQueue }] =
    await Promise.all([
      import("./machine.ts"),
      import("./folder.ts"),
      import("./hub.ts"),
      import("./agents.ts"),
      import("./queue.ts"),
    ]);
  // Of a hub elsewhere the folder is not ours to see.
  const { url, home } = patient.cli;
  const none = url ? undefined : unusable(home.path);
  if (none) return [...checkMachine(patient), none];
  return [
    ...checkMachine(patient),
    ...(url ? [] : checkFolder(patient)),
    ...(await checkHub(patient)),
    ...(await checkAgents(patient)),
    ...(await checkQueue(patient)),
  ];
}

function line({ name, state, message, advice }: Check, width: number): string {
  const sentence = `${state === "fail" ? "FAIL" : state}  ${name.padEnd(width)}  ${visibleLine(message)}`;
  return advice ? `${sentence}\n      ${" ".repeat(width)}  ${visibleLine(advice)}` : sentence;
}
