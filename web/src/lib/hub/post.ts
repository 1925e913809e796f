import { isRecord } from "./contents.ts";

export const postJson = (path: string, body: object): Promise<Response> =>
  fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });

/** The hub's sentence about what it did not do. */
export async function refusalIn(response: Response): Promise<string> {
  const body: unknown = await response.json().catch(() => undefined);
  return isRecord(body) && typeof body.error === "string" ? body.error : `The hub answered ${response.status}.`;
}

/** For whom the link is, where it is for somebody else than who is signed in. */
export async function otherIn(response: Response): Promise<string | undefined> {
  if (response.status !== 409) return undefined;
  const body: unknown = await response
    .clone()
    .json()
    .catch(() => undefined);
  return isRecord(body) && typeof body.principal === "string" ? body.principal : undefined;
}
