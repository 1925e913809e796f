/**
 * The only column types we use. Text that is compared or sorted does so by byte on both
 * databases; times are ISO-8601 text; JSON is text because nothing ever queries inside it.
 */
export interface Columns {
  key: string;
  time: string;
  text: string;
  json: string;
  position: string;
  /** Ends a table that is read by its primary key alone and has short rows. */
  clustered: string;
}

export const SQLITE_COLUMNS: Columns = {
  key: "text",
  time: "text",
  text: "text",
  json: "text",
  position: "integer",
  clustered: " without rowid",
};

export const POSTGRES_COLUMNS: Columns = {
  key: 'text collate "C"',
  time: 'text collate "C"',
  text: "text",
  json: "text",
  position: "bigint",
  clustered: "",
};
