import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { keep, onKept, recall } from "./kept.ts";

beforeEach(() => localStorage.clear());
afterEach(() => void vi.unstubAllGlobals());

test("what is kept is recalled, under a name of our own, until it is nothing", () => {
  keep("draft:scout", "half a sentence");
  expect(recall("draft:scout")).toBe("half a sentence");
  expect(localStorage.getItem("parley:draft:scout")).toBe("half a sentence");
  keep("draft:scout", "");
  expect(recall("draft:scout")).toBeNull();
  expect(localStorage.getItem("parley:draft:scout")).toBeNull();
});

test("whoever listens is told, of this tab's doings and of others', and of nobody else's keys", () => {
  const heard: unknown[] = [];
  const stop = onKept((name, value) => heard.push([name, value]));
  keep("seen:scout", "12");
  dispatchEvent(new StorageEvent("storage", { key: "parley:seen:mason", newValue: "13" }));
  dispatchEvent(new StorageEvent("storage", { key: "another:app", newValue: "x" }));
  stop();
  keep("seen:scout", "14");
  expect(heard).toEqual([
    ["seen:scout", "12"],
    ["seen:mason", "13"],
  ]);
});

test("without storage, or with one that is full, everything goes on and nothing is kept", () => {
  const refuse = (): never => {
    throw new Error("QuotaExceededError");
  };
  vi.stubGlobal("localStorage", { getItem: refuse, setItem: refuse, removeItem: refuse });
  const heard: string[] = [];
  onKept((name) => heard.push(name));
  keep("theme", "dark");
  expect([recall("theme"), heard]).toEqual([null, ["theme"]]);
});
