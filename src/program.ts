/** What `parley serve` runs. */
export { startHub } from "./app.ts";
export { readConfig } from "./config.ts";
export { ParleyError, StartRefused } from "./errors.ts";
