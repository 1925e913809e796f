/** Whether a call is an edit, by its arguments: what it takes away and what it puts there, for people to read. */

/** A text that takes another's place. Without one before it is written as it is, over whatever was there. */
interface Change {
  before: string | undefined;
  after: string;
}

export interface Edit {
  /** As it is given; null where the call names none. */
  path: string | null;
  changes: readonly Change[];
  /** A patch that says by itself what it adds and removes. */
  patch: string | undefined;
  /** The names of the arguments that are not shown by this. */
  others: readonly string[];
}

type Given = Readonly<Record<string, unknown>>;

const PATHS = ["file_path", "path", "filePath"];
const PAIRS = [
  ["old_string", "new_string"],
  ["oldText", "newText"],
] as const;
/** Tools that write a file as a whole, as Claude Code and the usual servers of files call them. */
const WRITES = /(?:^|_)(?:Write|write_file)$/;
const PATCH = "*** Begin Patch";
/** What is longer is read in the arguments. */
const MOST_CHARACTERS = 60_000;

/** Whether it is worth looking, by what a card shows: it may hold a part of the arguments only. */
export const mayBeEdit = (text: string): boolean =>
  text.includes(PATCH) || /"(?:old_string|new_string|oldText|newText|content)":/.test(text);

/** Undefined for what is none, and where it could be read in two ways. */
export function editIn(tool: string, given: unknown): Edit | undefined {
  if (!isObject(given)) return undefined;
  const found = [replaced(given), listed(given), written(tool, given), patched(given)].filter(
    (edit) => edit !== undefined,
  );
  const [edit] = found;
  if (!edit || found.length > 1) return undefined;
  const { changes, patch = "" } = edit;
  const length = changes.reduce((sum, { before = "", after }) => sum + before.length + after.length, patch.length);
  return length > MOST_CHARACTERS ? undefined : edit;
}

function replaced(given: Given): Edit | undefined {
  const pair = changeIn(given);
  return pair && editOf(given, { changes: [pair.change], shown: pair.names });
}

function listed(given: Given): Edit | undefined {
  const { edits } = given;
  if (!Array.isArray(edits) || edits.length === 0) return undefined;
  const pairs = edits.map((one) => (isObject(one) ? changeIn(one) : undefined)).filter((pair) => pair !== undefined);
  // What is not all understood is not shown in part.
  if (pairs.length < edits.length) return undefined;
  const inside = edits.flatMap((one, at) => Object.keys(one).filter((name) => !pairs[at]?.names.includes(name)));
  const edit = editOf(given, { changes: pairs.map(({ change }) => change), shown: ["edits"] });
  return { ...edit, others: [...new Set([...edit.others, ...inside])] };
}

function written(tool: string, given: Given): Edit | undefined {
  const { content } = given;
  if (!WRITES.test(tool) || typeof content !== "string") return undefined;
  return editOf(given, { changes: [{ before: undefined, after: content }], shown: ["content"] });
}

/** Codex hands it on as a text, or as the last word of a command. */
function patched(given: Given): Edit | undefined {
  const found = Object.entries(given).flatMap(([name, value]) => {
    const text = Array.isArray(value) && value.length === 2 && value[0] === "apply_patch" ? value[1] : value;
    return typeof text === "string" && text.trimStart().startsWith(PATCH) ? [{ name, text }] : [];
  });
  const [one] = found;
  if (!one || found.length > 1) return undefined;
  return { ...editOf(given, { changes: [], shown: [one.name] }), patch: one.text };
}

function changeIn(given: Given): { change: Change; names: readonly string[] } | undefined {
  const found = PAIRS.flatMap((names) => {
    const [before, after] = [given[names[0]], given[names[1]]];
    return typeof before === "string" && typeof after === "string" ? [{ change: { before, after }, names }] : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

function editOf(given: Given, { changes, shown }: { changes: Change[]; shown: readonly string[] }): Edit {
  const named = PATHS.filter((name) => typeof given[name] === "string");
  const path = named.length === 1 ? String(given[named[0] ?? ""]) : null;
  const known = [...shown, ...(path === null ? [] : named)];
  return { path, changes, patch: undefined, others: Object.keys(given).filter((name) => !known.includes(name)) };
}

const isObject = (value: unknown): value is Given =>
  typeof value === "object" && value !== null && !Array.isArray(value);
