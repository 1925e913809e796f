import type { Changed } from "./toolset.ts";

/** What a model is told of changes elsewhere: of each server every URI once. What people say it hears anyway. */
export function notificationOf(changes: readonly Changed[]): string | undefined {
  const told = changes.filter(({ uri }) => !/^ui:\/\/chat\/([^/]+\/)?inbox$/.test(uri));
  if (told.length === 0) return undefined;
  const [maybe, sure] = [told.filter(({ missed }) => missed), told.filter(({ missed }) => !missed)];
  const parts = [
    ...(sure.length > 0 ? [`These resources have changed:\n${linesOf(sure)}`] : []),
    ...(maybe.length > 0 ? [`These may have changed while they were not followed:\n${linesOf(maybe)}`] : []),
  ];
  return parts.join("\n");
}

function linesOf(changes: readonly Changed[]): string {
  const byServer = Map.groupBy(changes, ({ server }) => server);
  const lines = [...byServer].map(([server, all]) => {
    const uris = [...new Set(all.map(({ uri }) => uri))];
    return `${server}: ${uris.join(", ")}`;
  });
  return lines.join("\n");
}
