import { readFileSync } from "node:fs";
import type { Cli } from "../core/cli.ts";
import { Failure, reasonOf } from "../core/failure.ts";
import { PACKAGE } from "../root.ts";

export interface Check {
  name: string;
  state: "pass" | "warn" | "fail";
  message: string;
  /** What to do about it. */
  advice?: string;
  fixed?: true;
}

export interface Patient {
  cli: Cli;
  /** Whether to put right what can be put right without asking anybody. */
  fix: boolean;
}

export const pass = (name: string, message: string): Check => ({ name, state: "pass", message });
const trouble =
  (state: "warn" | "fail") =>
  (name: string, message: string, advice: string): Check => ({ name, state, message, advice });
export const warn = trouble("warn");
export const fail = trouble("fail");

/** For a `catch`: what is said of a failure. Everything else is a bug of ours. */
export const said =
  <T>(of: (failure: Failure) => T) =>
  (error: unknown): T => {
    if (error instanceof Failure) return of(error);
    throw error;
  };

/** Done and said, with `--fix`; otherwise only said. */
export function mend({ cli, fix }: Patient, trouble: Check, repair: () => void): Check {
  if (!fix) return { ...trouble, advice: `${trouble.advice} Or: ${cli.line("doctor --fix")}` };
  try {
    repair();
    return { name: trouble.name, state: "pass", message: `${trouble.message} It is put right now.`, fixed: true };
  } catch (error) {
    const why = reasonOf(error);
    return { ...trouble, message: `${trouble.message} It could not be put right: ${why}.` };
  }
}

export function size(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** at;
  return `${at === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[at]}`;
}

/** Of this program; the hub may be another. */
export const VERSION: string = JSON.parse(readFileSync(PACKAGE, "utf8")).version;
