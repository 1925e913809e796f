import type { Reader, Tx } from "../../../db/database.ts";
import { statement } from "../../../db/statement.ts";
import type { SectionRow, VersionRow } from "../tables.ts";

type In = { space_id: string };
type Named = In & { section_id: string };
export type WholeSection = SectionRow & { content: string };

const SECTION = "section_id, order_key, version, id, bytes, author, title";

const find = statement<Named, WholeSection>(
  `select ${SECTION}, content from draft_sections where space_id = :space_id and section_id = :section_id`,
);
export const findSection = (db: Reader, args: Named): Promise<WholeSection | undefined> => db.get(find, args);

const list = statement<In, SectionRow>(
  `select ${SECTION} from draft_sections where space_id = :space_id order by order_key`,
);
/** All there are, in their order, without their texts. */
export const listSections = (db: Reader, space_id: string): Promise<SectionRow[]> => db.all(list, { space_id });

type Stretch = In & { first: number; last: number };
const whole = statement<Stretch, WholeSection>(
  `select ${SECTION}, content from draft_sections
   where space_id = :space_id and order_key >= :first and order_key <= :last order by order_key`,
);
/** Between two of them, with their texts. */
export const listWholeSections = (db: Reader, args: Stretch): Promise<WholeSection[]> => db.all(whole, args);

const insert = statement<WholeSection & In>(
  `insert into draft_sections (space_id, section_id, order_key, version, id, bytes, author, title, content)
   values (:space_id, :section_id, :order_key, :version, :id, :bytes, :author, :title, :content)
   on conflict (space_id, section_id) do update set order_key = excluded.order_key, version = excluded.version,
   id = excluded.id, bytes = excluded.bytes, author = excluded.author, title = excluded.title, content = excluded.content`,
);
export const saveSection = (tx: Tx, row: WholeSection): Promise<void> =>
  tx.run(insert, { ...row, space_id: tx.space_id });

const move = statement<Named & { order_key: number }>(
  "update draft_sections set order_key = :order_key where space_id = :space_id and section_id = :section_id",
);
export const updateOrder = (tx: Tx, rows: readonly Pick<SectionRow, "section_id" | "order_key">[]): Promise<void> =>
  tx.runAll(
    move,
    rows.map(({ section_id, order_key }) => ({ section_id, order_key, space_id: tx.space_id })),
  );

const insertOne = statement<VersionRow & In>(
  `insert into draft_versions (space_id, section_id, version, id, title, content, bytes, author, author_id,
   by_principal_id, cause, cause_how)
   values (:space_id, :section_id, :version, :id, :title, :content, :bytes, :author, :author_id,
   :by_principal_id, :cause, :cause_how)`,
);
export const insertVersion = (tx: Tx, row: VersionRow): Promise<void> =>
  tx.run(insertOne, { ...row, space_id: tx.space_id });

const VERSION = "section_id, version, id, title, content, bytes, author, author_id, by_principal_id, cause, cause_how";

const findOne = statement<Named & { version: number }, VersionRow>(
  `select ${VERSION} from draft_versions
   where space_id = :space_id and section_id = :section_id and version = :version`,
);
export const findVersion = (db: Reader, args: Named & { version: number }): Promise<VersionRow | undefined> =>
  db.get(findOne, args);

const findById = statement<In & { id: number }, VersionRow>(
  `select ${VERSION} from draft_versions where space_id = :space_id and id = :id`,
);
export const findVersionById = (db: Reader, args: In & { id: number }): Promise<VersionRow | undefined> =>
  db.get(findById, args);

type Facts = Pick<VersionRow, "version" | "id" | "title" | "author" | "bytes">;
const history = statement<Named & { before: number; limit: number }, Facts>(
  `select version, id, title, author, bytes from draft_versions
   where space_id = :space_id and section_id = :section_id and version < :before order by version desc limit :limit`,
);
/** Newest first. */
export const listVersions = (db: Reader, args: Named & { before: number; limit: number }): Promise<Facts[]> =>
  db.all(history, args);
