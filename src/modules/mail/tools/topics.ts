import { READERS, WRITERS } from "../../../context.ts";
import { defineTool } from "../../../tool.ts";
import { Publish, Sent, Subscribe, Subscribed, TopicList, Topics } from "../schema.ts";
import * as service from "../service.ts";
import { facets, TOPIC } from "./naming.ts";

export const topicTools = [
  defineTool({
    name: "mail_subscribe",
    aliases: ["mail.subscribe"],
    title: "Follow a topic",
    description: "From now on you get what is published to the topic, or with on: false no longer.",
    roles: WRITERS,
    facets,
    writes: true,
    commands: [
      {
        name: "subscribe",
        summary: "follow a topic",
        acting: true,
        examples: ["subscribe builds"],
        details: "You get what is published there from now on.",
        words: { topic: "the topic" },
        names: { topic: TOPIC },
        fixed: { on: true },
        says: "Subscribed to {topic}.",
      },
      {
        name: "unsubscribe",
        summary: "follow a topic no longer",
        acting: true,
        examples: ["unsubscribe builds"],
        details: "You get no more of what is published there.",
        words: { topic: "the topic" },
        names: { topic: TOPIC },
        fixed: { on: false },
        says: "Unsubscribed from {topic}.",
      },
    ],
    input: Subscribe,
    output: Subscribed,
    run: service.subscribe,
  }),
  defineTool({
    name: "mail_publish",
    aliases: ["mail.publish"],
    title: "Publish to a topic",
    description: "Sends mail to everybody who follows the topic at this moment.",
    roles: WRITERS,
    facets,
    writes: true,
    input: Publish,
    output: Sent,
    run: service.publish,
  }),
  defineTool({
    name: "mail_topics",
    aliases: ["mail.topics"],
    title: "List topics",
    description: "Lists the topics that somebody follows, and whether you do.",
    roles: READERS,
    facets,
    commands: [
      {
        name: "topics",
        summary: "list the topics",
        acting: true,
        examples: ["topics", "topics --subscribed"],
        details: "A topic is there while somebody is subscribed to it.",
        rows: {
          list: "topics",
          columns: ["topic", "subscribers", "subscribed"],
          none: "There are none. Begin one: `subscribe TOPIC`",
        },
        id: "topic",
      },
    ],
    input: Topics,
    output: TopicList,
    run: service.topics,
  }),
];
