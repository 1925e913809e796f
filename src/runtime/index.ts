/** Runs an agent: a client of the hub, in its process or elsewhere, and the only part that knows models. */
export { type AgentOptions, runAgent } from "./agent.ts";
export { Compositor } from "./compositor/compositor.ts";
export { ConfigError, parseServers, type ServerSpec } from "./compositor/config.ts";
export { EXEC_SERVER, MOUNT_COOKIE, type MountSpec } from "./compositor/server.ts";
export { Definition, driverOf, ModelDefinition, readDefinition } from "./definition.ts";
export type { Answer, Driver, ModelMessage } from "./drivers/driver.ts";
export type { ProgramDriver } from "./drivers/program.ts";
export { httpPort } from "./port-http.ts";
export type { Toolset } from "./toolset.ts";
