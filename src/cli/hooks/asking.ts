/** Which permissions people were asked for on behalf of a session, until it shows that they were settled at its terminal. */
import { codeOf, replaceFile, sha256 } from "../../local/files.ts";
import { readJson } from "../core/io.ts";
import type { HookInput } from "./input.ts";

export interface Ask {
  approval_id: string;
  /** Of the tool and its arguments. */
  digest: string;
  /** The subagent that asked, if one did. */
  agent_id: string | null;
}

export class Asking {
  readonly #folder: string;

  constructor(home: string, session_id: string) {
    this.#folder = `${home}/hooks/${sha256(session_id)}.asking`;
  }

  add(ask: Ask): void {
    replaceFile(this.#path(ask.approval_id), JSON.stringify(ask));
  }

  remove(approval_id: string): void {
    const { readdirSync, rmdirSync, rmSync } = process.getBuiltinModule("node:fs");
    rmSync(this.#path(approval_id), { force: true });
    // Every hook looks whether it is there: without it that is all it costs them.
    try {
      if (readdirSync(this.#folder).length === 0) rmdirSync(this.#folder);
    } catch (error) {
      // Another hook did so, or asks again just now.
      if (!["ENOENT", "ENOTEMPTY"].includes(codeOf(error))) throw error;
    }
  }

  list(): Ask[] {
    const { existsSync, readdirSync } = process.getBuiltinModule("node:fs");
    if (!existsSync(this.#folder)) return [];
    return readdirSync(this.#folder).flatMap((name) => {
      // Nothing of one that is being written or taken away just now: its own hook sees to it.
      const { approval_id, digest, agent_id } = Object(readJson(`${this.#folder}/${name}`));
      return typeof approval_id === "string" ? [{ approval_id, digest, agent_id }] : [];
    });
  }

  #path(approval_id: string): string {
    return `${this.#folder}/${approval_id.replace(/\D/g, "")}`;
  }
}

/** Those of them that what happens now shows to be settled. */
export function settledBy(event: string, input: HookInput, asks: readonly Ask[]): Ask[] {
  switch (event) {
    case "PostToolBatch": {
      const done = new Set(callsIn(input).map(({ tool_name, tool_input }) => digestOf(tool_name, tool_input)));
      return asks.filter(({ digest }) => done.has(digest));
    }
    case "SubagentStop":
      return asks.filter(({ agent_id }) => agent_id !== null && agent_id === input.text("agent_id"));
    case "Stop":
      // A subagent in the background may still be asking.
      return asks.filter(({ agent_id }) => agent_id === null);
    case "SessionStart":
    case "SessionEnd":
    case "UserPromptSubmit":
      return [...asks];
    default:
      return [];
  }
}

function callsIn(input: HookInput): { tool_name?: unknown; tool_input?: unknown }[] {
  const calls = input.value("tool_calls");
  return Array.isArray(calls) ? calls.filter((call) => typeof call === "object" && call !== null) : [];
}

export const digestOf = (tool_name: unknown, tool_input: unknown): string =>
  sha256(JSON.stringify([tool_name ?? null, tool_input ?? null]));
