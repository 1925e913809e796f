import { draft } from "./tools/draft.ts";
import { notes } from "./tools/notes.ts";
import { plan } from "./tools/plan.ts";

export const tools = [...notes, ...draft, ...plan];
