/** What a program printed, as it printed it, and how it ended where that is worth a word. */
export interface Printed {
  /** Undefined where only the beginning is known. */
  ended: string | undefined;
  stdout: string;
  stderr: string;
}

interface Ran {
  exit_code?: unknown;
  ended_by?: unknown;
  timed_out?: unknown;
  stdout: string;
  stderr?: unknown;
}

/** What a beginning may end with that nothing closes: the mark of being cut, half an escape, half the name of a field. */
const MOST_BROKEN = 16;

/** Of what a call of a program gave, which is JSON, or how that begins. Undefined for what is anything else. */
export function printedIn(output: string): Printed | undefined {
  const whole = ranIn(output);
  const ran = whole ?? beginningOf(output);
  if (!ran) return undefined;
  const stderr = typeof ran.stderr === "string" ? ran.stderr : "";
  return { ended: whole && endWords(whole), stdout: ran.stdout, stderr };
}

function beginningOf(output: string): Ran | undefined {
  for (let left_out = 0; left_out <= MOST_BROKEN; left_out += 1) {
    const known = output.slice(0, output.length - left_out);
    const ran = ranIn(`${known}"}`) ?? ranIn(`${known}}`);
    if (ran) return ran;
  }
  return undefined;
}

function ranIn(text: string): Ran | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const is = typeof value === "object" && value !== null && "stdout" in value && typeof value.stdout === "string";
    return is ? { ...value, stdout: String(value.stdout) } : undefined;
  } catch {
    return undefined;
  }
}

function endWords({ exit_code, ended_by, timed_out }: Ran): string | undefined {
  const cut = timed_out === true ? "It took too long" : undefined;
  const how = typeof ended_by === "string" ? `Ended by ${ended_by}` : undefined;
  const code = typeof exit_code === "number" && exit_code !== 0 ? `Exit code ${exit_code}` : undefined;
  return [cut, how, code].filter((part) => part !== undefined).join(", ") || undefined;
}
