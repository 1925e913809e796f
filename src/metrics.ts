import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

const SECONDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10];

/** What `/metrics` shows. Labels are bounded: never a name or an id. */
export class Metrics {
  readonly registry = new Registry();
  readonly #series = new Map<object, Map<string, unknown>>();
  readonly #calls = new Histogram({
    name: "parley_operation_duration_seconds",
    help: "Tool calls by tool, door and result",
    labelNames: ["tool", "door", "result"],
    buckets: SECONDS,
    registers: [this.registry],
  });
  readonly #requests = new Counter({
    name: "parley_http_requests_total",
    help: "HTTP requests by route and status",
    labelNames: ["route", "code"],
    registers: [this.registry],
  });
  readonly #batches = new Histogram({
    name: "parley_store_batch_events",
    help: "Events made durable by one commit of a space",
    buckets: [1, 2, 5, 10, 20, 50, 100, 200],
    registers: [this.registry],
  });
  readonly #appended = new Counter({
    name: "parley_events_appended_total",
    help: "Feed events by type",
    labelNames: ["type"],
    registers: [this.registry],
  });
  readonly streams = new Gauge({
    name: "parley_streams_open",
    help: "Open streams by kind",
    labelNames: ["kind"],
    registers: [this.registry],
  });
  readonly dropped = new Counter({
    name: "parley_streams_dropped_total",
    help: "Streams ended by the hub, by reason",
    labelNames: ["reason"],
    registers: [this.registry],
  });
  readonly dead = new Counter({
    name: "parley_due_dead_total",
    help: "What was due and given up after it had failed too often, by kind",
    labelNames: ["kind"],
    registers: [this.registry],
  });
  readonly denied = new Counter({
    name: "parley_auth_failures_total",
    help: "Requests refused before any door, by code",
    labelNames: ["code"],
    registers: [this.registry],
  });
  readonly limited = new Counter({
    name: "parley_rate_limited_total",
    help: "Calls refused for coming too fast",
    registers: [this.registry],
  });

  constructor(build: { version: string; node: string; schema: number; backend: string }) {
    // They are counted from the start on, not from when somebody looks.
    processMetrics();
    new Gauge({
      name: "parley_build_info",
      help: "Always 1",
      labelNames: ["version", "node", "schema", "backend"],
      registers: [this.registry],
    }).set({ ...build, schema: String(build.schema) }, 1);
  }

  /** As Prometheus reads it, with the figures of the process. */
  text(): Promise<string> {
    return Registry.merge([processMetrics(), this.registry]).metrics();
  }

  /** Asked for when somebody looks. While the database is out of reach it stays what it was. */
  watchSnapshots(oldest: () => Promise<number>): void {
    new Gauge({
      name: "parley_oldest_snapshot_seconds",
      help: "For how long the oldest transaction on the database has looked at the same rows",
      registers: [this.registry],
      async collect() {
        const seconds = await oldest().catch(() => undefined);
        if (seconds !== undefined) this.set(seconds);
      },
    });
  }

  called(tool: string, door: string, result: string, seconds: number): void {
    this.#bound(this.#calls, tool, door, result).observe(seconds);
  }

  answered(route: string, code: number): void {
    this.#bound(this.#requests, route, String(code)).inc();
  }

  committed(events: readonly { type: string }[]): void {
    this.#batches.observe(events.length);
    const counts = new Map<string, number>();
    for (const { type } of events) counts.set(type, (counts.get(type) ?? 0) + 1);
    for (const [type, count] of counts) this.#bound(this.#appended, type).inc(count);
  }

  /** Finding the series of some labels costs more than counting; there are few of them, so each is found once. */
  #bound<B>(metric: { labels(...values: string[]): B }, ...values: string[]): B {
    const series = this.#series.get(metric) ?? new Map<string, unknown>();
    this.#series.set(metric, series);
    const key = values.join("\n");
    if (!series.has(key)) series.set(key, metric.labels(...values));
    // What is kept under a metric came from that metric.
    return series.get(key) as B;
  }
}

let process_registry: Registry | undefined;

/**
 * One for all hubs of a process: prom-client never stops the timers and observers behind these figures, and a test
 * process in which a thousand hubs have come and gone would spend its time on those.
 */
function processMetrics(): Registry {
  if (!process_registry) {
    process_registry = new Registry();
    collectDefaultMetrics({ register: process_registry });
  }
  return process_registry;
}
