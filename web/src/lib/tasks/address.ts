import { COLUMNS, type Column } from "./types.ts";

export interface Place {
  /** The task that is open beside the board. */
  id: string | undefined;
  /** The one column that is shown whole. */
  column: Column | undefined;
  /** Whether a task is being written. */
  adding: boolean;
}

export const placeOf = (id: string | undefined, query: Pick<URLSearchParams, "get" | "has">): Place => ({
  id,
  column: COLUMNS.find((column) => column === query.get("column")),
  adding: query.has("new"),
});

export function hrefOf(place: Place, change: Partial<Place> = {}): string {
  const { id, column, adding } = { ...place, ...change };
  const query = [column && `column=${column}`, adding && "new"].filter(Boolean).join("&");
  return `/tasks${id === undefined ? "" : `/${id}`}${query === "" ? "" : `?${query}`}`;
}

export const NOWHERE: Place = { id: undefined, column: undefined, adding: false };
