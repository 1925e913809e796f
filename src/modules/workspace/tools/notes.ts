import { READERS, WRITERS } from "../../../context.ts";
import { defineTool } from "../../../tool.ts";
import { AddedNote, AddNote, ListTags, NoteList, ReadNotes, TagList } from "../schema.ts";
import * as service from "../service.ts";

const facets = ["workspace"] as const;

export const notes = [
  defineTool({
    name: "add_note",
    title: "Add a note",
    description: "Adds a finding, fact or address to the notes that all share. A note never changes: add another one.",
    roles: WRITERS,
    facets,
    writes: true,
    commands: [
      {
        name: "note add",
        summary: "add a note to the workspace",
        examples: [
          "note add 'Competitor X charges $10 a month' --tag pricing",
          "note add - < finding.md --link https://example.com/prices",
        ],
        words: { content: "the note, or - to read it from stdin" },
        text: true,
        called: { tags: "tag", links: "link" },
        acting: true,
        says: "Added note {id}[, tagged {tags}].",
        id: "id",
      },
    ],
    input: AddNote,
    output: AddedNote,
    run: service.addNote,
  }),
  defineTool({
    name: "read_notes",
    title: "Read notes",
    description: "Reads the notes, all or those with a text, a tag or words, the oldest first. Go on while has_more.",
    roles: READERS,
    facets,
    commands: [
      {
        name: "note list",
        summary: "list the notes, or those with a text or a tag",
        examples: ["note list", "note list prague", "note list --tag pricing --limit 20"],
        words: { query: "a text in it, whatever its case" },
        acting: true,
        rows: {
          list: "notes",
          block: {
            about: ["{id}", "{author}", "{timestamp}"],
            title: "{tags}",
            text: "content",
            below: ["[  From {links}]"],
          },
          none: "There are no such notes.",
          more: "after_id",
        },
        id: "id",
      },
    ],
    input: ReadNotes,
    output: NoteList,
    run: service.readNotes,
  }),
  defineTool({
    name: "note_tags",
    title: "Count notes by tag",
    description: "Lists the tags of the notes, the most used first, with how many notes each has.",
    roles: READERS,
    facets,
    commands: [
      {
        name: "note tags",
        summary: "list the tags of the notes, with how many each has",
        examples: ["note tags"],
        acting: true,
        rows: { list: "tags", columns: ["tag", "notes"], none: "No note has a tag." },
        id: "tag",
      },
    ],
    input: ListTags,
    output: TagList,
    run: service.listTags,
  }),
];
