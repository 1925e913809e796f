/**
 * What programs and servers of agents are given in confidence, and must not repeat where others read it. A variable may as
 * well hold a path or a word that is everywhere, so it counts by its name, or by what only a secret looks like.
 */

/** Shorter ones are no secrets, and would be found everywhere. */
const LEAST = 8;
const NAMED =
  /secret|passw(or)?d|passphrase|api_?key|credential|(^|[_-])(key|auth|authorization|pass|cookie|dsn|pat|jwt)($|[_-])|token($|[_-])/i;
/** As the best known services begin theirs. */
const LOOKS_SO = /^(sk-|sk_|rk_|gh[a-z]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|npm_|pypi-|eyJ)/;
/** The hub's own: tokens, and what webhooks are signed with. */
const OURS = /(?<![A-Za-z0-9])(parley_[A-Za-z0-9_-]{43}(?![A-Za-z0-9_-])|whsec_[A-Za-z0-9+/]{43}=)/g;

/** Those among them that are secrets, by the names of variables or headers. */
export const secretsIn = (named: Readonly<Record<string, string>>): string[] =>
  Object.entries(named).flatMap(([name, value]) => {
    const own = NAMED.test(name) || LOOKS_SO.test(value) ? [value, ...value.split(/\s+/)] : [];
    return [...own, ...passwordIn(value)];
  });

/** As addresses of databases hold one, up to their last @. */
function passwordIn(value: string): string[] {
  const [, password = ""] = /^[a-z][a-z0-9+.-]*:\/\/[^/@\s:]*:([^/\s]+)@/i.exec(value) ?? [];
  return password === "" ? [] : [password, decoded(password)];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // It is no escaped text, and stands there as it is.
    return text;
  }
}

export type Mask = (text: string) => string;

/** Takes them out of a text, also where that is JSON. */
export function maskOf(secrets: readonly string[]): Mask {
  const known = secrets.filter(({ length }) => length >= LEAST);
  const all = [...new Set(known.flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1)]))];
  // What holds another one goes first.
  all.sort((a, b) => b.length - a.length);
  return (text) =>
    all
      .reduce((masked, secret) => masked.replaceAll(secret, "[secret]"), text)
      .replaceAll(OURS, (own) => `${own.slice(0, own.indexOf("_"))}_[secret]`);
}
