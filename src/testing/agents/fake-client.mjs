import "./compiled.mjs";

await import("./fake-client.ts");
