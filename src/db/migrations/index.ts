import type { Columns } from "../columns.ts";
import * as hub from "./0001-hub.ts";
import * as identity from "./0002-identity.ts";
import * as chat from "./0003-chat.ts";
import * as login from "./0004-login.ts";
import * as mail from "./0005-mail.ts";
import * as agents from "./0006-agents.ts";
import * as notices from "./0007-notices.ts";
import * as together from "./0008-together.ts";

export interface Migration {
  up: (columns: Columns) => string[];
}

/** One linear history. A migration is frozen once released; the schema's version is its place in this list. */
export const MIGRATIONS: readonly Migration[] = [hub, identity, chat, login, mail, agents, notices, together];
