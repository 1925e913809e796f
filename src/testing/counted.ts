import type { Statement } from "../db/statement.ts";

/** What is written by `run` waits for nothing. */
const ASKING = ["get", "all", "runCounted"];

/** The same database or transaction, and what was asked of it and waited for, in order. */
export function counted<T extends object>(asked: T): { db: T; texts: string[] } {
  const texts: string[] = [];
  const db = new Proxy(asked, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      if (!ASKING.includes(String(name))) return value.bind(target);
      return (statement: Statement, args: unknown) => {
        texts.push(statement.sqlite.text.replace(/\s+/g, " ").trim());
        return value.call(target, statement, args);
      };
    },
  });
  return { db, texts };
}
