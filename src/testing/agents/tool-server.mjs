import "./compiled.mjs";

await import("./tool-server.ts");
