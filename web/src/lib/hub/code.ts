/** The one-time code of a login link. It leaves the address bar before anything else happens. */
export function takeCode(): string | undefined {
  const code = /^#code=([A-Za-z0-9_-]{1,200})$/.exec(location.hash)?.[1];
  if (location.hash.startsWith("#code=")) history.replaceState(history.state, "", location.pathname + location.search);
  return code;
}

let first = takeCode();

/** The code the page was opened with, once. */
export function firstCode(): string | undefined {
  const code = first;
  first = undefined;
  return code;
}
