import type { Stream } from "./carriers.ts";
import { hubErrorOf, isObject, unreachable } from "./errors.ts";
import type { Notification, Protocol } from "./protocol.ts";

interface ListenHandlers {
  /** A hint, with what it says. */
  updated: (uri: string, about: Record<string, unknown>) => void;
  /** Once, however it ended, acknowledged before or not. */
  ended: () => void;
}

/** Opens the stream. Resolves with what the hub listens to, which may be less; goes on reading in the background. */
export function listenTo(protocol: Protocol, stream: Stream, told: ListenHandlers): Promise<ReadonlySet<string>> {
  return new Promise((resolve, reject) => {
    void read(protocol, stream, { acknowledged: resolve, updated: told.updated })
      .then(() => unreachable("the stream ended"), hubErrorOf)
      .then((error) => {
        // Which nobody hears once it was acknowledged.
        reject(error);
        told.ended();
      });
  });
}

async function read(
  protocol: Protocol,
  { uris, controller }: Stream,
  { acknowledged, updated }: Pick<ListenHandlers, "updated"> & { acknowledged: (uris: ReadonlySet<string>) => void },
): Promise<void> {
  const params = { notifications: { resourceSubscriptions: uris } };
  await protocol.stream({ method: "subscriptions/listen", params, controller }, (told) => {
    if (told.method === "notifications/subscriptions/acknowledged") acknowledged(honouredOf(told));
    else if (told.method === "notifications/resources/updated") updated(String(told.params.uri), told.params);
  });
}

function honouredOf({ params }: Notification): ReadonlySet<string> {
  const { resourceSubscriptions } = isObject(params.notifications) ? params.notifications : {};
  return new Set(Array.isArray(resourceSubscriptions) ? resourceSubscriptions.map(String) : []);
}
