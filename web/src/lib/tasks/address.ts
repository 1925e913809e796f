import { COLUMNS, type Column } from "./types.ts";

export interface BoardAddress {
  /** The task that is open beside the board. */
  id: string | undefined;
  /** The one column that is shown whole. */
  column: Column | undefined;
  /** Whether a task is being written. */
  adding: boolean;
}

export const placeOf = (id: string | undefined, query: Pick<URLSearchParams, "get" | "has">): BoardAddress => ({
  id,
  column: COLUMNS.find((column) => column === query.get("column")),
  adding: query.has("new"),
});

export function hrefOf(place: BoardAddress, change: Partial<BoardAddress> = {}): string {
  const { id, column, adding } = { ...place, ...change };
  const query = [column && `column=${column}`, adding && "new"].filter(Boolean).join("&");
  return `/tasks${id === undefined ? "" : `/${id}`}${query === "" ? "" : `?${query}`}`;
}

export const NOWHERE: BoardAddress = { id: undefined, column: undefined, adding: false };
