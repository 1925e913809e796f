import type { Program } from "../definitions.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import type { Dialect } from "./dialect.ts";
import { plain } from "./plain.ts";

export { claude, claudeServer } from "./claude.ts";
export { CODEX_SERVER, codex, codexServer } from "./codex.ts";
export { type Dialect, type Findings, objectIn } from "./dialect.ts";

const DIALECTS: Record<Program["client"], Dialect> = { claude, codex, plain };

export const dialectOf = ({ client }: Program): Dialect => DIALECTS[client];
