import "./compiled.mjs";

await import("./unruly.ts");
