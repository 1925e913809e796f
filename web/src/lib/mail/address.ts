/** What is shown stands in the address, so that links lead there and the way back works. */
export const FOLDERS = ["inbox", "unread", "snoozed", "archived", "sent", "trash"] as const;
export type FolderName = (typeof FOLDERS)[number];

export const FOLDER_WORDS: Record<FolderName, string> = {
  inbox: "Inbox",
  unread: "Unread",
  snoozed: "Snoozed",
  archived: "Archived",
  sent: "Sent",
  trash: "Trash",
};

/** What is listed there. */
export const listWords = ({ folder, q }: Pick<MailAddress, "folder" | "q">): string =>
  q === "" ? FOLDER_WORDS[folder] : "Search";

export interface MailAddress {
  /** Whose mailbox; undefined for one's own. */
  box: string | undefined;
  folder: FolderName;
  q: string;
  /** The thread that is open. */
  thread: string | undefined;
  /** Whether a new mail is being written. */
  compose: boolean;
  /** To whom, where it was asked for from elsewhere. */
  to: string;
}

const isFolder = (text: string | null): text is FolderName => FOLDERS.some((folder) => folder === text);

export function placeOf(box: string | undefined, params: Pick<URLSearchParams, "get" | "has">): MailAddress {
  const folder = params.get("folder");
  const thread = params.get("thread") ?? "";
  return {
    box,
    folder: isFolder(folder) ? folder : "inbox",
    q: (params.get("q") ?? "").slice(0, 500),
    // Anything else names no thread: the hub's ids are digits.
    thread: /^\d{1,19}$/.test(thread) ? thread : undefined,
    compose: params.has("compose"),
    to: params.get("to") ?? "",
  };
}

/** The address of the same place with something else in it. */
export function hrefOf(place: MailAddress, change: Partial<MailAddress> = {}): string {
  const { box, folder, q, thread, compose, to } = { ...place, ...change };
  const params = new URLSearchParams();
  if (folder !== "inbox") params.set("folder", folder);
  if (q !== "") params.set("q", q);
  if (thread !== undefined) params.set("thread", thread);
  if (compose) params.set("compose", "1");
  if (compose && to !== "") params.set("to", to);
  const query = params.toString();
  return `/mail${box === undefined ? "" : `/${encodeURIComponent(box)}`}${query === "" ? "" : `?${query}`}`;
}

/** The beginning of a mailbox or of one of its folders. */
export const folderHref = (box: string | undefined, folder: FolderName): string =>
  hrefOf({ box, folder, q: "", thread: undefined, compose: false, to: "" });

/** What says that a mailbox may have changed. */
export const inboxUri = (name: string): string => `parley://mail/${encodeURIComponent(name)}/inbox`;
