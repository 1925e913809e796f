import pg from "pg";
import type { Value } from "./statement.ts";

/** int8 columns are feed positions, safe as JavaScript integers. */
export const types = {
  getTypeParser: (oid: number, format?: "text" | "binary") =>
    oid === 20 ? Number : pg.types.getTypeParser(oid, format),
};

/** What a connection keeps prepared under its name. */
export interface Prepared {
  name: string;
  text: string;
  values: readonly Value[];
}

export interface Answer {
  rows: object[];
  /** Such as `UPDATE 1`. */
  tag: string;
}

interface Step extends Prepared {
  /** Only of these rows are wanted. */
  reads: boolean;
  resolve: (answer: Answer) => void;
  reject: (error: Error) => void;
}

/** A statement before it failed, and the server did not come to this one. */
export class PassedOver extends Error {
  override readonly name = "PassedOver";
  override readonly cause: Error;

  constructor(cause: Error) {
    super("a statement before it failed", { cause });
    this.cause = cause;
  }
}

interface Column {
  name: string;
  parse: (text: string) => unknown;
}

/** What pg's types leave out of a connection. */
interface Wire {
  readonly stream: { cork(): void; uncork(): void };
  readonly parsedStatements: Record<string, string>;
  readonly submittedNamedStatements: Record<string, string>;
  parse(what: { name: string; text: string }): void;
  bind(what: { statement: string; values: readonly Value[]; valueMapper: (value: Value) => string | null }): void;
  describe(what: { type: "P" }): void;
  execute(): void;
  sync(): void;
}

/** By connection: the columns of the statements that it has described, so that it need not do so again. */
const DESCRIBED = new WeakMap<Wire, Map<string, readonly Column[]>>();

const asText = (value: Value): string | null => (typeof value === "number" ? String(value) : value);

/**
 * Statements that go out as one and are answered as one. pg ends each with a Sync of its own, on which the server sends
 * what it has so far: a system call on either side for each of them, and a description of columns that are known.
 *
 * Where one fails the server passes over all behind it, a COMMIT among them. It extends pg's own query since no other
 * may be sent on a pipelined connection.
 */
export class Flush extends pg.Query {
  readonly #steps: Step[] = [];
  readonly #ended = Promise.withResolvers<void>();
  #at = 0;
  #rows: object[] = [];
  #columns: readonly Column[] = [];
  #described = new Map<string, readonly Column[]>();
  #wire: Wire | undefined;
  /** Those that this one has prepared. pg notes the one that `name` and `text` are of when it is answered. */
  #preparing: string[] = [];
  declare name: string | undefined;
  declare text: string;
  /** Set by pg, which gives up waiting for an answer until it is called. */
  declare callback: ((error?: Error) => void) | undefined;

  constructor() {
    super("");
  }

  /** Never rejected: each of its statements is told by itself. */
  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  add(step: Step): void {
    this.#steps.push(step);
  }

  override submit = (connection: unknown): null => {
    // What pg hands to each of its queries.
    const wire = connection as Wire;
    this.#wire = wire;
    this.#described = DESCRIBED.get(wire) ?? this.#described;
    DESCRIBED.set(wire, this.#described);
    wire.stream.cork();
    for (const step of this.#steps) this.#send(wire, step);
    wire.sync();
    wire.stream.uncork();
    this.#begin();
    return null;
  };

  #send(wire: Wire, { name, text, values, reads }: Step): void {
    if (wire.parsedStatements[name] === undefined && wire.submittedNamedStatements[name] === undefined) {
      wire.parse({ name, text });
      wire.submittedNamedStatements[name] = text;
      this.#preparing.push(name);
    }
    wire.bind({ statement: name, values, valueMapper: asText });
    if (reads && !this.#described.has(name)) wire.describe({ type: "P" });
    wire.execute();
  }

  #begin(): void {
    const step = this.#steps[this.#at];
    this.name = step?.name;
    this.text = step?.text ?? "";
    this.#rows = [];
    this.#columns = (step?.reads && this.#described.get(step.name)) || [];
  }

  handleRowDescription({ fields }: { fields: readonly { name: string; dataTypeID: number }[] }): void {
    this.#columns = fields.map(({ name, dataTypeID }) => ({ name, parse: types.getTypeParser(dataTypeID, "text") }));
    this.#described.set(this.name ?? "", this.#columns);
  }

  handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
    const row: Record<string, unknown> = {};
    for (const [at, { name, parse }] of this.#columns.entries()) {
      const field = fields[at] ?? null;
      row[name] = field === null ? null : parse(field);
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }): void {
    this.#steps[this.#at]?.resolve({ rows: this.#rows, tag: text });
    this.#at += 1;
    this.#begin();
  }

  handleReadyForQuery(): void {
    this.callback?.();
    this.#ended.resolve();
  }

  /** Of the server, about the statement that it is at; or of the connection, about all that is not answered. */
  handleError(error: Error): void {
    for (const name of this.#preparing) delete this.#wire?.submittedNamedStatements[name];
    const behind = "severity" in error ? new PassedOver(error) : error;
    this.#steps[this.#at]?.reject(error);
    for (const step of this.#steps.slice(this.#at + 1)) step.reject(behind);
    this.#at = this.#steps.length;
    this.callback?.(error);
    this.#ended.resolve();
  }
}
