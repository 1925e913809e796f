export { Header, Line, PRINCIPALS, type Row } from "./format.ts";
export { removeOldArchives } from "./old-archives.ts";
export { countRows, describeTable, findName, insertRow } from "./store.ts";
export { writeArchive } from "./writing.ts";
