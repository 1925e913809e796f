import type { Reader } from "./database.ts";
import type { Statement } from "./statement.ts";

type Rows = Promise<readonly object[]>;

/**
 * What the operations of one batch have read. Most of what they ask is the same, or is asked for all of them in one go
 * before the first one runs; on PostgreSQL that spares a round trip each. What an operation changes is forgotten, so each
 * one reads what those before it have written.
 */
export class ReadCache {
  /** By statement, then by what it pins, then by all of its arguments. */
  readonly #known = new Map<Statement, Map<string, Map<string, Rows>>>();
  readonly #readers = new Map<string, Set<Statement>>();

  async all<A, R>(reader: Reader, statement: Statement<A, R>, args: A): Promise<R[]> {
    const { pinned, key } = this.#place(statement, args);
    // Kept under the same statement, so of the same type.
    const known = pinned.get(key) as Promise<readonly (R & object)[]> | undefined;
    const asked = known ?? (reader.all(statement, args) as Promise<(R & object)[]>);
    // At once: a change that is made while we wait for the answer takes it away again.
    if (!known) pinned.set(key, asked);
    try {
      return (await asked).map((row) => ({ ...row }));
    } catch (error) {
      pinned.delete(key);
      throw error;
    }
  }

  /** Forgets what that change may have made untrue. */
  change<A>(statement: Statement<A>, args: A): void {
    for (const reader of this.#readers.get(statement.footprint.changes ?? "") ?? []) {
      const columns = [...reader.footprint.pins.keys()];
      const parameters = columns.map((column) => statement.footprint.pins.get(column));
      const known = this.#known.get(reader);
      if (columns.length > 0 && parameters.every((parameter) => parameter !== undefined))
        known?.delete(valuesOf(args, parameters));
      else known?.clear();
    }
  }

  #place<A>(statement: Statement<A>, args: A): { pinned: Map<string, Rows>; key: string } {
    const known = this.#known.get(statement) ?? this.#add(statement);
    const pins = valuesOf(args, [...statement.footprint.pins.values()]);
    const pinned = known.get(pins) ?? new Map<string, Rows>();
    known.set(pins, pinned);
    return { pinned, key: JSON.stringify(args) };
  }

  #add(statement: Statement): Map<string, Map<string, Rows>> {
    const known = new Map<string, Map<string, Rows>>();
    this.#known.set(statement, known);
    for (const table of statement.footprint.reads)
      this.#readers.set(table, (this.#readers.get(table) ?? new Set()).add(statement));
    return known;
  }
}

/** `statement` let only objects with such fields through. */
const valuesOf = (args: unknown, parameters: readonly string[]): string =>
  JSON.stringify(parameters.map((parameter) => (args as Record<string, unknown>)[parameter] ?? null));
