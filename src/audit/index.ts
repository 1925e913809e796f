export { Audit } from "./audit.ts";
