import type { Dialect } from "../../../runner/clients/index.ts";
import type { PermissionRequest, ProgramReport, Usage } from "../program.ts";

export interface CommandStart {
  /** What comes before the arguments that are known. */
  argv: readonly string[];
  /** Null for a new one of a client that chooses it itself. */
  session_id: string | null;
  is_resumed: boolean;
  /** Where the hub's tools are. */
  url: string;
  headers: Readonly<Record<string, string>>;
  env: Readonly<Record<string, string>>;
}

/** Where what a client prints is taken to. */
export interface Hearing {
  report: ProgramReport;
  /** It has shown that it has its prompt. */
  taken(): void;
  /** All that its session has used so far. */
  used(total: Usage): void;
  /** It wants to know whether it may; `answer` is what it is told then. */
  asks(id: string, request: PermissionRequest): void;
  /** It asks for what it cannot have here. */
  wantsMore(id: string): void;
  /** It does not want to know any more. */
  asksNoMore(id: string): void;
  /** Its turn is over. */
  ended(): void;
}

/** How a client does one turn: what it is started with, and what its messages mean. */
export interface CommandDialect {
  /** Session, quota and errors are read as the runner does. */
  runner: Dialect;
  /** As the hub's server is called there. */
  hub_server: string;
  argv(start: CommandStart): string[];
  /** What it reads first. */
  prompt(texts: readonly string[]): string;
  /** What it reads after that, as long as its turn lasts; one without is told nothing more. */
  talks?: {
    answer(id: string, request: PermissionRequest, decided: Awaited<ReturnType<ProgramReport["ask"]>>): string;
    /** To what nobody here can answer. */
    refuse(id: string): string;
    interrupt: string;
  };
  hear(message: Record<string, unknown>, hearing: Hearing): void;
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const textIn = (value: unknown): string => (typeof value === "string" ? value : "");
export const numberIn = (value: unknown): number => (typeof value === "number" && value > 0 ? value : 0);
