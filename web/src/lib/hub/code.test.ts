import { beforeEach, expect, test, vi } from "vitest";

let address: URL;
beforeEach(() => {
  vi.resetModules();
  vi.stubGlobal("history", { state: "kept", replaceState: (_: unknown, __: string, path: string) => go(path) });
});

const go = (path: string): void => {
  address = new URL(path, "http://127.0.0.1:8765");
  vi.stubGlobal("location", address);
};

test("the code of a login link is taken once, and leaves the address bar as soon as the page runs", async () => {
  go("/chat/scout?m=12#code=parley_Ab-9");
  const { firstCode } = await import("./code.ts");
  expect(address.href).toBe("http://127.0.0.1:8765/chat/scout?m=12");
  expect([firstCode(), firstCode()]).toEqual(["parley_Ab-9", undefined]);
});

test("what only looks like a code is no code, and leaves the address bar all the same", async () => {
  for (const hash of ["#code=", "#code=a b", "#code=<script>", `#code=${"x".repeat(201)}`]) {
    vi.resetModules();
    go(`/chat${hash}`);
    const { firstCode } = await import("./code.ts");
    expect(firstCode()).toBeUndefined();
    expect(address.hash).toBe("");
  }
});

test("any other fragment is left alone", async () => {
  go("/chat#main");
  const { firstCode } = await import("./code.ts");
  expect(firstCode()).toBeUndefined();
  expect(address.hash).toBe("#main");
});
