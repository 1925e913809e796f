import {
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  type JSONRPCRequest,
} from "@modelcontextprotocol/server";
import type { Actor } from "../../context.ts";
import type { Hub } from "../../hub.ts";
import { FORM, formOf, type OpenForm, showsForms } from "../forms.ts";
import * as store from "./store.ts";

/** What this task asks of whoever sits at its client, until they have said something or put it away. */
export const openForm = async (hub: Hub, row: store.WaitRow, actor: Actor): Promise<OpenForm | undefined> =>
  row.form === null || row.state !== "working"
    ? undefined
    : formOf(hub, { actor, tool: hub.tools.find(row.tool), args: JSON.parse(row.arguments) });

/** As `tasks/get` says that a task waits for input. */
export const inputRequired = ({ request }: OpenForm): { status: string; inputRequests: object } => ({
  status: "input_required",
  inputRequests: { [FORM]: request },
});

/** True the first time: then it is told at once, so that the form is there while everything else is waited for. */
export const noteShown = async ({ database }: Hub, { id, form }: store.WaitRow): Promise<boolean> =>
  form === "due" && (await store.saveForm(database, { id, form: "shown", before: "due" })) === 1;

/** They have said something, or put it away: it is not shown again. */
export async function fill(hub: Hub, row: store.WaitRow, { actor, responses }: { actor: Actor; responses: unknown }) {
  const form = await openForm(hub, row, actor);
  if (typeof responses !== "object" || responses === null || !(FORM in responses)) return;
  await form?.take({ ...responses });
  await store.saveForm(hub.database, { id: row.id, form: null, before: row.form });
}

export const declaresForms = (params: JSONRPCRequest["params"]): boolean =>
  // Whatever a client says it can do is only looked at for one thing.
  showsForms(params?._meta?.[CLIENT_CAPABILITIES_META_KEY] as ClientCapabilities | undefined);
