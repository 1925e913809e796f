import { keeping } from "./tools/keeping.ts";
import { reading } from "./tools/reading.ts";
import { sending } from "./tools/sending.ts";
import { working } from "./tools/working.ts";

export const tools = [...sending, ...working, ...reading, ...keeping];
