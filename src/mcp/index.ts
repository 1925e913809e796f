export { type DoorOptions, type McpDoor, mcpDoor } from "./door.ts";
