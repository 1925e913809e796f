import { z } from "zod";
import { AGENTS, READERS } from "../../../context.ts";
import { defineTool } from "../../../tool.ts";
import { AGENT } from "../../identity/index.ts";
import { Ok, ReadText, ReadTimeline, TextPage, TimelinePage } from "../schema.ts";
import * as service from "../service.ts";

export const timelineTools = [
  defineTool({
    name: "timeline_read",
    title: "Read an agent's timeline",
    description:
      "Returns what was said to an agent and by it, the tools it used and how its turns ended, oldest first. Keep last_id and pass it as after_id next time; go on while has_more. With before_id it leads back instead.",
    roles: READERS,
    facets: ["chat-human"],
    commands: [
      {
        name: "timeline",
        summary: "read what an agent said and did",
        examples: ["timeline scout", "timeline scout --limit 200", "timeline scout --before-id 1763366400000000"],
        details:
          "The newest, oldest first. What came before the first of them: --before-id with its id. What a call gave: parley output with its id.",
        fixed: { newest: true },
        words: { agent: "which agent; the space's default one if left out" },
        names: { agent: AGENT },
        without: ["after_id"],
        rows: {
          list: "items",
          columns: ["id", "time", "what", "outcome"],
          cells: {
            time: "{ts}",
            what: [
              { when: { kind: "UserMessage" }, says: "{author_principal}: {content}" },
              { when: { kind: "AssistantMarkdown" }, says: "{author_principal}: {content}" },
              { when: { kind: "Tool" }, says: "{tool}[ {arguments}]" },
              { when: { kind: "Question" }, says: "Question: {question}[ {answer}]" },
              { when: { kind: "Task" }, says: "Task: {content}" },
              { when: { kind: "EndTurn" }, says: "End of the turn[: {error}]" },
              { says: "{content}" },
            ],
            outcome: [
              { when: { kind: "Tool", outcome: null, "approval.state": "pending" }, says: "waits for a person" },
              { when: { kind: "Tool", outcome: null }, says: "running" },
              { when: { kind: "Question", state: "open" }, says: "waits for an answer" },
              { when: { kind: "Question", state: "no_response" }, says: "nobody answered" },
              { when: { kind: "Question" }, says: "{state}" },
              { says: "[{outcome}]" },
            ],
          },
          none: "Nothing was said or done yet.",
        },
        id: "id",
      },
    ],
    input: ReadTimeline,
    output: TimelinePage,
    run: service.readTimeline,
  }),
  defineTool({
    name: "timeline_text",
    title: "Read all that a call gave",
    description:
      "Returns what a call on an agent's timeline gave, or was given, a page at a time: timeline_read has only how it begins. Go on with next_offset until that is null.",
    roles: READERS,
    facets: ["chat-human"],
    input: ReadText,
    output: TextPage,
    run: service.readText,
  }),
  defineTool({
    name: "loop_yield_turn",
    aliases: ["loop.yield_turn"],
    title: "End your turn",
    description:
      "Ends your turn when you have nothing more to do in it. You are woken by the next message, not by what comes of tools.",
    roles: AGENTS,
    facets: ["loop"],
    writes: true,
    input: z.strictObject({}),
    output: Ok,
    run: service.yieldTurn,
  }),
];
