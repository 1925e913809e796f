/** What runs whole agent programs: loaded by who runs one. */
export { programDriver } from "./programs.ts";
