/**
 * Asking whoever sits at the caller's client, beside everybody else who can answer: a form while a tool waits. As an answer
 * that says what is missing (2026-07-28), as a request in the middle of the call (older sessions), as a task that needs
 * input. The first answer counts, wherever it is given; what comes after it is put away.
 */
import {
  acceptedContent,
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type ElicitRequestFormParams,
  type ElicitResult,
  type InputRequest,
  type InputRequiredResult,
  inputRequired,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { type Actor, has } from "../context.ts";
import { ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { type Asked, type Form, needsNamedSpace, type Tool } from "../tool.ts";

export const FORM = "answer";
/** What is chosen counts where nothing else is written. */
const Content = z.looseObject({ answer: z.string().optional(), choice: z.string().optional() });

/** A form that belongs to a call: what it shows and what is done with what was filled in. */
export interface OpenForm {
  request: InputRequest & { params: ElicitRequestFormParams };
  /** With `action`, `content` as the client gave them, of which nothing is trusted. */
  take: (responses: Record<string, unknown>) => Promise<void>;
}

interface Calling {
  actor: Actor;
  tool: Tool;
  args: unknown;
}

/** Undefined where the tool asks nothing, or not of this caller. */
export async function formOf(hub: Hub, { actor, tool, args }: Calling): Promise<OpenForm | undefined> {
  const form: Form | undefined = tool.waits?.form;
  const input = form && tool.input.safeParse(args);
  // What the call itself will refuse is not asked either.
  const refused = !has(actor, ...tool.roles) || (actor.space_assumed && needsNamedSpace(tool.facets));
  if (!form || !input?.success || refused) return undefined;
  // It is what the tool's own schema made of them.
  const parsed = input.data as never;
  const asked = await form.show(hub.ctx(actor), parsed).catch((error: unknown) => {
    // What is wrong with it the call itself will say.
    if (error instanceof ParleyError) return undefined;
    throw error;
  });
  if (!asked) return undefined;
  return {
    request: requestOf(asked),
    take: async (responses) => {
      const answer = answerIn(responses);
      if (answer === undefined) return;
      hub.limit.take(actor.principal_id);
      const noted = {
        op: `${tool.name} form`,
        door: "mcp" as const,
        actor,
        args,
        known: Object.keys(tool.input.shape),
      };
      try {
        await form.take(hub.ctx(actor), parsed, answer);
        hub.audit.call({ ...noted, result: "ok", id: undefined });
      } catch (error) {
        if (!(error instanceof ParleyError)) throw error;
        hub.audit.call({ ...noted, result: error.code, id: undefined });
      }
    },
  };
}

function requestOf({ message, options, options_only }: Asked): OpenForm["request"] {
  const choice = options && { choice: { type: "string" as const, title: "Choose", enum: [...options] } };
  const answer = { answer: { type: "string" as const, title: options ? "Or say something else" : "Answer" } };
  const properties = { ...choice, ...(!(options && options_only) && answer) };
  const required = options ? (options_only ? ["choice"] : []) : ["answer"];
  const requestedSchema = { type: "object" as const, properties, required };
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

function answerIn(responses: Record<string, unknown>): string | undefined {
  const content = acceptedContent(responses, FORM, Content);
  return content?.answer?.trim() || content?.choice;
}

export const showsForms = (capabilities: ClientCapabilities | undefined): boolean =>
  // An empty object is how older clients say that they show forms.
  capabilities?.elicitation !== undefined &&
  (capabilities.elicitation.form !== undefined || capabilities.elicitation.url === undefined);

type Result = CallToolResult | InputRequiredResult;

/** 2026-07-28: the call is answered with the form, and comes again with what was filled in. */
export async function withForm(
  form: OpenForm | undefined,
  ctx: ServerContext,
  call: () => Promise<Result>,
): Promise<Result> {
  // The envelope's type is declared without the keys it is made of.
  const envelope = ctx.mcpReq.envelope as Record<string, ClientCapabilities> | undefined;
  if (!form || !showsForms(envelope?.[CLIENT_CAPABILITIES_META_KEY])) return call();
  const { inputResponses } = ctx.mcpReq;
  if (!inputResponses) return inputRequired({ inputRequests: { [FORM]: form.request } });
  await form.take(inputResponses);
  return call();
}

/** Older sessions: the form is shown while the call waits, and put away when an answer came from elsewhere. */
export async function besideForm(
  form: OpenForm | undefined,
  ctx: ServerContext,
  call: () => Promise<Result>,
): Promise<Result> {
  if (!form) return call();
  const over = new AbortController();
  const shown = ctx.mcpReq
    .elicitInput(form.request.params, { signal: over.signal, timeout: LONGEST_MS })
    .then((result: ElicitResult) => form.take({ [FORM]: result }))
    // Put away, or not to be shown there at all: the question is open for everybody else.
    .catch(() => undefined);
  try {
    return await call();
  } finally {
    over.abort();
    await shown;
  }
}

/** As long as a call may wait. */
const LONGEST_MS = 300_000;
