export { type DoorOptions, type McpDoor, mcpDoor } from "./door.ts";
export { rpcErrorBody } from "./errors.ts";
export { discovers } from "./wire.ts";
