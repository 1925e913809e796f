import { z } from "zod";
import { fitTo } from "../issues.ts";
import { ANTHROPIC_URL, anthropic } from "./drivers/anthropic.ts";
import type { Driver } from "./drivers/driver.ts";
import { OPENAI_URL, openai } from "./drivers/openai.ts";
import { openaiResponses } from "./drivers/openai-responses.ts";
import { Script, scripted } from "./drivers/scripted.ts";

const facets = z.array(z.string()).optional();
/** Whose quota its turns use; of a program its entry says that. */
const account = z.string().min(1).max(64).optional();
const common = { account, facets, compat: z.literal("v1").optional() };
const dollars = z.number().min(0).max(10_000);
/** In dollars for a million tokens. */
const price = z.strictObject({ input: dollars, output: dollars }).optional();
const model = {
  model: z.string().min(1).max(200),
  base_url: z.url({ protocol: /^https?$/, error: "this is no http or https address" }).optional(),
  /** The variable that holds the key: a definition is stored, and holds no secret itself. */
  api_key_env: z
    .string()
    .max(100)
    .regex(/^[A-Z][A-Z0-9_]*_API_KEY$/, "this is no name of a variable that ends in _API_KEY")
    .optional(),
  price,
  ...common,
};

/** The two protocols in which endpoints of that kind are asked. */
const OPENAI_APIS = ["chat", "responses"] as const;

/** How an agent is run whose model is asked here. */
export const ModelDefinition = z.discriminatedUnion("driver", [
  z.strictObject({ driver: z.literal("scripted"), script: Script, ...common }),
  z.strictObject({ driver: z.literal("openai"), api: z.enum(OPENAI_APIS).optional(), ...model }),
  z.strictObject({ driver: z.literal("anthropic"), ...model }),
]);
export type ModelDefinition = z.infer<typeof ModelDefinition>;

/**
 * How an agent is run, as it is typed or stored. Which program does its turns no definition says: whoever may store one
 * would decide what runs on the hub's machine.
 */
export const Definition = z.discriminatedUnion("driver", [
  ...ModelDefinition.options,
  z.strictObject({ driver: z.literal("command"), price, facets }),
  z.strictObject({ driver: z.literal("acp"), facets }),
]);
export type Definition = z.infer<typeof Definition>;
export type ProgramDefinition = Extract<Definition, { driver: "command" | "acp" }>;

export const isProgramDefinition = (definition: Definition): definition is ProgramDefinition =>
  definition.driver === "command" || definition.driver === "acp";

const OPENAI = { base_url: OPENAI_URL, api_key_env: "OPENAI_API_KEY" };
const HTTP = {
  chat: { make: openai, ...OPENAI },
  responses: { make: openaiResponses, ...OPENAI },
  anthropic: { make: anthropic, base_url: ANTHROPIC_URL, api_key_env: "ANTHROPIC_API_KEY" },
} as const;

/** `env` is of the process that runs it. */
export function driverOf(definition: ModelDefinition, env: Readonly<Record<string, string | undefined>>): Driver {
  if (definition.driver === "scripted") return scripted(definition.script);
  const known = HTTP[definition.driver === "openai" ? (definition.api ?? "chat") : definition.driver];
  const { model, price, base_url = known.base_url, api_key_env = known.api_key_env } = definition;
  return known.make({ model, price, base_url, api_key: env[api_key_env] || undefined });
}

/** What was given as a definition, or what is wrong with it, in one sentence. */
export function readDefinition(given: object): { definition: Definition } | { wrong: string } {
  const fitted = fitTo(Definition, given);
  return "data" in fitted ? { definition: fitted.data } : { wrong: `The definition is wrong: ${fitted.wrong}.` };
}
