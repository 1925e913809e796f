/** One HTTP exchange, however it is made: by `fetch` in a browser, by `node:http` in the command line. */
export interface HttpRequest {
  method: "GET" | "POST" | "DELETE";
  /** From the hub's root, such as `/mcp`. */
  path: string;
  headers: Record<string, string>;
  body?: string;
  signal?: AbortSignal;
}

export interface HttpResponse {
  status: number;
  type: string;
  /** The `Date` header: what time it is for the hub. */
  date: string | undefined;
  /** Of the MCP session that was opened, in the older era. */
  session?: string | undefined;
  /**
   * Hands over what arrives, decoded, piece by piece. Resolves at the end; rejects when it breaks off, or when `take`
   * throws. Calling back costs a fraction of the memory that a chain of generators does, for each stream there is.
   */
  body: (take: (text: string) => void) => Promise<void>;
}

/** Rejects when there is no answer, never for the status of one. */
export type Transport = (request: HttpRequest) => Promise<HttpResponse>;

/** With the page's own cookie, or with a bearer token. An empty `url` is the page's own origin. */
export function fetchTransport(url: string): Transport {
  return async ({ path, ...init }) => {
    const response = await fetch(url.replace(/\/$/, "") + path, { ...init, cache: "no-store" });
    const { status, headers, body } = response;
    return {
      status,
      type: headers.get("content-type") ?? "",
      date: headers.get("date") ?? undefined,
      body: (take) => decode(body, take),
    };
  };
}

async function decode(body: ReadableStream<Uint8Array> | null, take: (text: string) => void): Promise<void> {
  if (!body) return;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      take(decoder.decode(value, { stream: true }));
    }
  } finally {
    // Whoever stops reading is done with the connection too. It may be gone already.
    await reader.cancel().catch(() => undefined);
  }
}
