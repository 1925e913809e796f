/** What endpoints of models take in common, whatever a model has called before. */
import { z } from "zod";
import type { ModelCall } from "./driver.ts";

/** A name that a model made up may be none that its endpoint would take back. */
export const namedTool = (tool: string): string => tool.replaceAll(/[^a-zA-Z0-9_-]/g, "_").slice(0, 64) || "unknown";

/** The arguments as an object: what was no JSON object stands in one, so that the model sees what it wrote. */
export function argumentsIn({ arguments: text }: Pick<ModelCall, "arguments">): Record<string, unknown> {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // A model may write anything.
  }
  return { malformed: text };
}

/** As an endpoint counts them; one that does so oddly has answered all the same. */
export const Tokens = z.int().min(0).nullish().catch(null);

/** In dollars for a million tokens. */
export interface Price {
  input: number;
  output: number;
}

export const costOf = (price: Price | undefined, input_tokens: number, output_tokens: number): number =>
  price === undefined ? 0 : (input_tokens * price.input + output_tokens * price.output) / 1_000_000;
