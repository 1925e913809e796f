/** The step of `npm test` that asks the registry for known vulnerabilities in what ships. */
import { execFile } from "node:child_process";

const ARGS = ["audit", "--omit=dev", "--json", "--fetch-retries=0", "--fetch-timeout=20000"];
const SERIOUS = ["high", "critical"];

interface Report {
  vulnerabilities?: Record<string, { severity: string }>;
  message?: string;
}

/** Resolves to an exit code. */
export async function auditDependencies(cwd: string): Promise<number> {
  const printed = await new Promise<string>((resolve) => {
    // Its exit code says less than what it prints: it is the same for a finding and for a registry that is away.
    execFile("npm", ARGS, { cwd, timeout: 60_000 }, (_error, stdout) => resolve(stdout));
  });
  const { ok, sentence } = judge(printed);
  console.log(sentence);
  return ok ? 0 : 1;
}

/** Only a registry that answers can find something: whoever works without one is told so, and goes on. */
export function judge(printed: string): { ok: boolean; sentence: string } {
  const report = parsed(printed);
  if (!report.vulnerabilities)
    return {
      ok: true,
      sentence: `The registry could not be asked for known vulnerabilities (${report.message ?? "no answer"}). This step says nothing today.`,
    };
  const found = Object.entries(report.vulnerabilities).filter(([, { severity }]) => SERIOUS.includes(severity));
  if (found.length === 0) return { ok: true, sentence: "No serious vulnerability is known in what ships." };
  const named = found.map(([name, { severity }]) => `${name} (${severity})`).join(", ");
  return { ok: false, sentence: `Known vulnerabilities in what ships: ${named}. See npm audit --omit=dev.` };
}

function parsed(printed: string): Report {
  try {
    // What npm prints with --json.
    return JSON.parse(printed) as Report;
  } catch {
    // Nothing, or a sentence of npm's own: the registry was not reached.
    return {};
  }
}
