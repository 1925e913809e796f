/** What runs whole agent programs: loaded by who runs one. */
export { AcpDriver } from "./acp.ts";
export { CommandDriver } from "./command.ts";
export { sessionFile } from "./sessions.ts";
