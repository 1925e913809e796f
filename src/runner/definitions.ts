import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { readOwn, untrustedFile } from "../local/rights.ts";
import type { Can, Kind } from "../modules/runs/index.ts";
import { Account, DEFAULT_ACCOUNT } from "../modules/tasks/index.ts";

export const RUNNER_FILE = "runner.json";
const DEFAULT_TIMEOUT_SECONDS = 3600;
const DEFAULT_AT_ONCE = 4;

/** Arguments of Claude Code that would put other hooks in the place of the one that asks, or run none. */
const TAKES_HOOKS = /^--(settings|bare|safe-mode)(=|$)/;

/** How a program is written down, in `runner.json` and for agents in `servers.json`. */
export const Definition = z
  .strictObject({
    /** A client whose arguments and output are known; without it a program of the owner's own. */
    client: z.enum(["claude", "codex"]).optional(),
    /** The program and its arguments; of a known client what comes before those that are known. */
    argv: z.array(z.string().min(1)).min(1).optional(),
    /** Whether its tool calls are decided by the policy of the space, and by people where that says to ask. */
    approvals: z.boolean().optional(),
    /** Whose quota and money it uses. */
    account: Account.optional(),
    cwd: z.string().min(1).optional(),
    env: z.record(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, "a variable has a name"), z.string()).optional(),
    timeout_seconds: z
      .int()
      .min(1)
      .max(7 * 86_400)
      .optional(),
  })
  .refine(({ client, argv }) => client !== undefined || argv !== undefined, "it has neither argv nor a client")
  .refine(
    ({ client, approvals }) => !approvals || client === "claude",
    "approvals are there for the client claude alone",
  )
  .refine(
    ({ argv, approvals }) => !approvals || !argv?.some((word) => TAKES_HOOKS.test(word)),
    "with approvals its argv has neither --settings nor --bare nor --safe-mode: its hook comes that way",
  )
  .refine(
    ({ env }) => !Object.keys(env ?? {}).some((name) => name.startsWith("PARLEY_")),
    "variables that begin with PARLEY_ are set by the hub",
  );

export type Definition = z.infer<typeof Definition>;

const RunnerFile = z.strictObject({
  trigger: Definition.optional(),
  worker: Definition.optional(),
  mail: Definition.optional(),
  /** For one trigger, in the place of `trigger`. */
  triggers: z.record(z.string(), Definition).optional(),
  /** As many programs as this node runs at the same time. */
  at_once: z.int().min(1).max(100).optional(),
});
type RunnerFile = z.infer<typeof RunnerFile>;

/** How a program is started. */
export interface Program {
  client: "claude" | "codex" | "plain";
  argv: readonly string[];
  cwd: string;
  env: Readonly<Record<string, string>>;
  timeout_ms: number;
  account: string;
  /** Whether its tool calls are decided by the policy of the space. */
  approvals: boolean;
}

/** What `runner.json` of a data folder says. No tool writes it: whoever may, decides what runs as the hub's user. */
export class Definitions {
  readonly #file: RunnerFile;

  /** Throws an `Error` with what is wrong; nothing is defined where there is no file. */
  static read(home: string): Definitions {
    const path = join(home, RUNNER_FILE);
    if (!statSync(path, { throwIfNoEntry: false })) return new Definitions({});
    const why = untrustedFile(path);
    if (why) throw new Error(`${path} ${why}: whoever can change it decides what runs. chmod 600 it, if it is yours.`);
    return new Definitions(parsed(path, readOwn(path)));
  }

  constructor(file: RunnerFile) {
    this.#file = file;
  }

  get at_once(): number {
    return this.#file.at_once ?? DEFAULT_AT_ONCE;
  }

  get can(): Can {
    const { trigger, worker, mail, triggers } = this.#file;
    return {
      trigger: trigger !== undefined,
      triggers: Object.keys(triggers ?? {}),
      worker: worker !== undefined,
      mail: mail !== undefined,
    };
  }

  /** All that it names, each with what it is for. */
  get programs(): { what: string; program: Program }[] {
    const { triggers = {} } = this.#file;
    const asked = [
      ...(["trigger", "worker", "mail"] as const).map((kind) => ({ what: kind, kind, name: "" })),
      ...Object.keys(triggers).map((name) => ({ what: `trigger ${name}`, kind: "trigger" as const, name })),
    ];
    return asked.flatMap(({ what, ...of }) => {
      const program = this.find(of);
      return program ? [{ what, program }] : [];
    });
  }

  find({ kind, name }: { kind: Kind; name: string }): Program | undefined {
    const { triggers = {} } = this.#file;
    const own = kind === "trigger" && Object.hasOwn(triggers, name) ? triggers[name] : undefined;
    const definition = own ?? this.#file[kind];
    return definition && programOf(definition, DEFAULT_TIMEOUT_SECONDS);
  }
}

/** With everything that may be left out. */
export function programOf(definition: Definition, timeout_default: number): Program {
  const { client = "plain", argv = [client], cwd = homedir(), env = {}, account = DEFAULT_ACCOUNT } = definition;
  const { timeout_seconds = timeout_default, approvals = false } = definition;
  return { client, argv, cwd, env, account, approvals, timeout_ms: timeout_seconds * 1000 };
}

function parsed(path: string, text: string): RunnerFile {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} is not JSON: ${(error as Error).message}.`, { cause: error });
  }
  const { success, data, error } = RunnerFile.safeParse(json);
  if (success) return data;
  const [first] = error.issues;
  throw new Error(`${path}: ${[...(first?.path ?? []), first?.message].join(": ")}.`);
}
