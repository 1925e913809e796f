/** What a model is told, in an order that every model's interface can take. */
export type ModelMessage =
  | { role: "user"; content: string }
  | { role: "assistant"; text: string | null; calls: ModelCall[] }
  | { role: "tool"; call_id: string; tool: string; output: string; is_error: boolean };

export interface ModelCall {
  call_id: string;
  tool: string;
  /** A JSON object, as the model wrote it. */
  arguments: string;
}

export interface ToolSpec {
  name: string;
  description: string;
  input_schema: Record<string, unknown>;
}

export interface SampleRequest {
  system: string;
  messages: readonly ModelMessage[];
  /** Where the turn begins among them: what comes from here on no earlier turn has answered. */
  turn_from: number;
  tools: readonly ToolSpec[];
}

export interface Answer {
  /** Shown to nobody: who wants to be heard calls a tool. */
  text?: string;
  /** Run at the same time. */
  calls: readonly Omit<ModelCall, "call_id">[];
  input_tokens?: number;
  output_tokens?: number;
  cost_usd?: number;
}

/**
 * Runs a model. It keeps nothing between two questions: what was said and done is all in the request. Its own troubles,
 * such as an endpoint that is busy, it deals with itself; what it throws is the end of the turn, told to a person.
 */
export interface Driver {
  readonly name: string;
  sample(request: SampleRequest, signal: AbortSignal): Promise<Answer>;
}
