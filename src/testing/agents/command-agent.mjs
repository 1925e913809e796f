import "./compiled.mjs";

await import("./command-agent.ts");
