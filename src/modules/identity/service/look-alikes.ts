/** Equal for names that are hard to tell apart, and for those that differ in case or in dots and dashes only. */
export const skeletonOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[._-]/g, "")
    .replace(/[i1]/g, "l")
    .replace(/0/g, "o")
    .replace(/5/g, "s")
    .replace(/rn/g, "m")
    .replace(/vv/g, "w")
    .replace(/cl/g, "d");

/** By which somebody is meant whose word counts for more than an agent's: everybody, the people, or the hub itself. */
const AUTHORITIES = [
  "admin",
  "administrator",
  "everybody",
  "everyone",
  "hub",
  "human",
  "operator",
  "owner",
  "parley",
  "people",
  "root",
  "superuser",
  "system",
  "user",
];
/** What leaves one of them who it is. */
const AROUND = ["a", "all", "alert", "message", "my", "notice", "our", "real", "the", "update", "warning", "your"];
/** By which whoever reads is meant. */
const READERS = ["all", "me", "you", "yourself"];

/** As somebody reads it who takes digits for the letters that they look like. */
const readAs = (name: string): string => skeletonOf(name).replace(/3/g, "e").replace(/4/g, "a").replace(/7/g, "t");
const oneOf = (words: readonly string[]): string => words.map((word) => `${readAs(word)}s?`).join("|");

const NAMED = new RegExp(`^(?:${oneOf(AUTHORITIES)})\\d*$`);
/** Nothing but such words, written together or apart: `your-user`, `youruser`, `system-notice`. */
const SPOKEN = new RegExp(
  `^(?:${oneOf(READERS)}|(?:${oneOf(AROUND)})*(?:${oneOf(AUTHORITIES)})(?:${oneOf([...AUTHORITIES, ...AROUND])})*)\\d*$`,
);

/**
 * Whether a name would speak for others: `Owner`, `your-user`, `system-notice`, and whatever begins as `SYSTEM.` does. A
 * name that only contains such a word, as that of a repository may (`parley-main`), does not.
 */
export function isReserved(name: string): boolean {
  const words = name.split(/[._-]/).map((word) => word.replace(/\d+$/, ""));
  if (SPOKEN.test(readAs(name)) || SPOKEN.test(readAs(words.join("")))) return true;
  const [first = ""] = name.split(/[._-]/);
  return NAMED.test(readAs(first)) && (name[first.length] === "." || /^[A-Z]{2,}$/.test(first));
}
