/** Made by `npm run reference` from the commands that tools define; do not edit. */
import type { MadeCommand } from "./core/tool-command.ts";

export const MADE: readonly MadeCommand[] = [
  {
    "name": "agent default",
    "summary": "choose the agent that people speak to when they name none",
    "people": true,
    "examples": [
      "agent default scout"
    ],
    "says": "People who name no agent now speak to {name}.",
    "tool": "agent_default",
    "positionals": {
      "name": {
        "description": "its name",
        "required": true
      }
    },
    "options": {}
  },
  {
    "name": "agent register",
    "summary": "make an agent known",
    "people": true,
    "examples": [
      "agent register scout",
      "agent register scout --type bridge"
    ],
    "details": "Creating a token for an agent does this too. For a session, see: parley help identity ensure",
    "says": "{name} is known.",
    "id": "name",
    "tool": "agent_register",
    "positionals": {
      "name": {
        "description": "its name",
        "required": true
      }
    },
    "options": {
      "type": {
        "type": "text",
        "value": "TYPE",
        "description": "local and ui agents can be written to; a bridge only relays",
        "choices": [
          "local",
          "ui",
          "bridge"
        ]
      }
    }
  },
  {
    "name": "mail release",
    "summary": "let agents that were stopped write to each other again",
    "people": true,
    "examples": [
      "mail release scout mason"
    ],
    "details": "Agents that answered each other without end were stopped. This lets them write to each other again.",
    "says": "These may write to each other again: {agents}.",
    "tool": "mail_release",
    "positionals": {
      "agents": {
        "description": "those that were stopped",
        "required": true,
        "rest": true
      }
    },
    "options": {}
  },
  {
    "name": "space list",
    "summary": "list the spaces",
    "people": true,
    "examples": [
      "space list"
    ],
    "rows": {
      "list": "spaces",
      "columns": [
        "space",
        "created_at",
        "expires_at"
      ],
      "none": "There are no spaces."
    },
    "id": "space",
    "tool": "space_list",
    "positionals": {},
    "options": {}
  },
  {
    "name": "subscribe",
    "summary": "follow a topic",
    "acting": true,
    "examples": [
      "subscribe builds"
    ],
    "details": "You get what is published there from now on.",
    "fixed": {
      "on": true
    },
    "says": "Subscribed to {topic}.",
    "tool": "mail_subscribe",
    "positionals": {
      "topic": {
        "description": "the topic",
        "required": true
      }
    },
    "options": {}
  },
  {
    "name": "unsubscribe",
    "summary": "follow a topic no longer",
    "acting": true,
    "examples": [
      "unsubscribe builds"
    ],
    "details": "You get no more of what is published there.",
    "fixed": {
      "on": false
    },
    "says": "Unsubscribed from {topic}.",
    "tool": "mail_subscribe",
    "positionals": {
      "topic": {
        "description": "the topic",
        "required": true
      }
    },
    "options": {}
  }
];
