import "./compiled.mjs";

await import("./acp-agent.ts");
