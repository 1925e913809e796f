import type { Ctx } from "../../../context.ts";
import type { Credentials } from "./credentials.ts";
import { createToken } from "./tokens.ts";

export const ADMIN_TOKEN = "admin.token";

interface Folder {
  read(name: string): string | undefined;
  write(name: string, text: string): void;
}

/** The token of the folder's owner, made on the first start and whenever the file or the database is new. */
export async function ensureAdminToken(ctx: Ctx, credentials: Credentials, folder: Folder): Promise<void> {
  const token = folder.read(ADMIN_TOKEN)?.trim();
  if (token && (await isKnown(credentials, token))) return;
  const made = await createToken(ctx, { role: "admin", name: "admin", label: "the data folder" });
  folder.write(ADMIN_TOKEN, `${made.token}\n`);
}

async function isKnown(credentials: Credentials, token: string): Promise<boolean> {
  try {
    await credentials.authenticate({ token, space_id: undefined, caller_agent: undefined });
    return true;
  } catch {
    // Whatever is wrong with it, a new one is not.
    return false;
  }
}
