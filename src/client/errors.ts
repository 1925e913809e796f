/** Worth another try by themselves: the hub is away, stopping or busy. */
const PASSING = [
  "HUB_UNREACHABLE",
  "SHUTTING_DOWN",
  "STORAGE_UNAVAILABLE",
  "STORAGE_FULL",
  "RATE_LIMITED",
  "TOO_MANY_SUBSCRIPTIONS",
  "TOO_MANY_WAITS",
];

/** A refusal of the hub's, with its code and its sentence; or `HUB_UNREACHABLE` when there was no answer. */
export class HubError extends Error {
  override readonly name = "HubError";
  readonly code: string;
  /** 0 where there was no answer. */
  readonly status: number;
  /** What the hub says beside its sentence, for a program to act on. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: string,
    message: string,
    options: ErrorOptions & { status?: number; details?: Record<string, unknown> } = {},
  ) {
    super(message, options);
    this.code = code;
    this.status = options.status ?? 0;
    this.details = options.details ?? {};
  }

  /** Asking again later may help. */
  get passing(): boolean {
    return this.status >= 500 || PASSING.includes(this.code);
  }
}

export const unreachable = (cause: unknown): HubError =>
  new HubError("HUB_UNREACHABLE", "The hub cannot be reached.", { cause });

export const hubErrorOf = (error: unknown): HubError => (error instanceof HubError ? error : unreachable(error));

/** What the hub said instead of a result: its common error body, or a JSON-RPC error around the same two. */
export function refusal(status: number, body: unknown): HubError {
  const { error, code, ...details } = isObject(body) ? body : {};
  if (typeof error === "string" && typeof code === "string") return new HubError(code, error, { status, details });
  if (isObject(error) && typeof error.message === "string") {
    const data = isObject(error.data) ? error.data : {};
    return new HubError(String(data.code ?? error.code), error.message, { status });
  }
  return new HubError("HUB_UNREACHABLE", `What answers there is no Parley hub (status ${status}).`, { status });
}

/** Runs what others wrote. Whoever throws disturbs nobody else. */
export const guarded =
  (report: (error: unknown) => void) =>
  (tell: () => void): void => {
    try {
      tell();
    } catch (error) {
      report(error);
    }
  };

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;
