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
    "name": "pause",
    "summary": "start no more programs in this space",
    "details": "What runs goes on, and what would be started waits.",
    "examples": [
      "pause"
    ],
    "people": true,
    "says": "Nothing is started from now on. resume ends this.",
    "tool": "run_pause",
    "positionals": {},
    "options": {}
  },
  {
    "name": "resume",
    "summary": "start programs in this space again",
    "examples": [
      "resume"
    ],
    "people": true,
    "says": "What has waited is started now.",
    "tool": "run_resume",
    "positionals": {},
    "options": {}
  },
  {
    "name": "runs list",
    "summary": "list what was started for triggers, tasks and mail",
    "examples": [
      "runs list",
      "runs list --state live",
      "runs list --kind trigger --name nightly"
    ],
    "rows": {
      "list": "runs",
      "columns": [
        "id",
        "kind",
        "name",
        "state",
        "waits_for",
        "attempt",
        "started_at",
        "ended_at"
      ],
      "none": "Nothing was started."
    },
    "id": "id",
    "tool": "run_list",
    "positionals": {},
    "options": {
      "state": {
        "type": "text",
        "value": "STATE",
        "description": "only those in this state; live: queued, claimed or running",
        "choices": [
          "queued",
          "claimed",
          "running",
          "done",
          "failed",
          "stopped",
          "skipped",
          "live"
        ]
      },
      "kind": {
        "type": "text",
        "value": "KIND",
        "description": "only those for triggers, tasks or mail",
        "choices": [
          "trigger",
          "worker",
          "mail"
        ]
      },
      "name": {
        "type": "text",
        "value": "NAME",
        "description": "only those of this trigger, worker or agent; needs kind"
      },
      "limit": {
        "type": "integer",
        "value": "LIMIT",
        "description": "how many at most",
        "minimum": 1,
        "maximum": 100
      },
      "before": {
        "type": "text",
        "value": "BEFORE",
        "description": "only earlier ones: the next of the last page"
      }
    }
  },
  {
    "name": "runs stop",
    "summary": "end a run",
    "examples": [
      "runs stop 1763366400000000"
    ],
    "people": true,
    "says": "Run {id} of {name} is asked to stop.",
    "id": "id",
    "tool": "run_stop",
    "positionals": {
      "id": {
        "description": "which run, as runs list shows it",
        "required": true
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
    "name": "trigger add",
    "summary": "make a trigger",
    "examples": [
      "trigger add nightly --type cron --schedule '0 3 * * *' --timezone Europe/Berlin --prompt 'Check the backups.'",
      "trigger add github --type webhook --prompt 'New issue: {{payload.issue.title}}'"
    ],
    "details": "Give a webhook a secret with: parley trigger rotate NAME",
    "says": "Trigger {name} is there.",
    "tool": "trigger_create",
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
        "description": "fired by time, by a request, or only by hand",
        "required": true,
        "choices": [
          "cron",
          "webhook",
          "manual"
        ]
      },
      "description": {
        "type": "text",
        "value": "DESCRIPTION",
        "description": "what it is for"
      },
      "channel": {
        "type": "text",
        "value": "CHANNEL",
        "description": "of the tasks it makes; internal unless said"
      },
      "schedule": {
        "type": "text",
        "value": "SCHEDULE",
        "description": "for cron: five fields such as 0 9 * * MON-FRI, or @daily"
      },
      "timezone": {
        "type": "text",
        "value": "TIMEZONE",
        "description": "of the schedule, such as Europe/Berlin; UTC unless said"
      },
      "missed": {
        "type": "text",
        "value": "MISSED",
        "description": "what of slots that passed while the hub was down; once unless said",
        "choices": [
          "skip",
          "once",
          "all"
        ]
      },
      "missed_max": {
        "type": "integer",
        "value": "MISSED_MAX",
        "description": "with all: the newest so many; 10 unless said",
        "minimum": 1,
        "maximum": 100
      },
      "missed_window_seconds": {
        "type": "integer",
        "value": "MISSED_WINDOW_SECONDS",
        "description": "with all: no older ones; a day unless said",
        "minimum": 60,
        "maximum": 604800
      },
      "overlap": {
        "type": "text",
        "value": "OVERLAP",
        "description": "what while the last run goes on; queue unless said",
        "choices": [
          "skip",
          "queue",
          "allow"
        ]
      },
      "webhook_secret": {
        "type": "text",
        "value": "WEBHOOK_SECRET",
        "description": "by which senders prove themselves, 8 to 256 characters"
      },
      "query_secret": {
        "type": "flag",
        "description": "whether ?secret= counts too: it ends up in logs"
      },
      "prompt": {
        "type": "text",
        "value": "PROMPT",
        "description": "what is asked; {{payload}}, {{payload.a.b}}, {{sender}} are filled in"
      },
      "session_mode": {
        "type": "text",
        "value": "SESSION_MODE",
        "description": "a fresh session each time, or the same one; ephemeral unless said",
        "choices": [
          "ephemeral",
          "persistent"
        ]
      },
      "session_key": {
        "type": "text",
        "value": "SESSION_KEY",
        "description": "which session, such as {{payload.thread_id}}"
      }
    }
  },
  {
    "name": "trigger delete",
    "summary": "delete a trigger",
    "examples": [
      "trigger delete nightly"
    ],
    "asks": "Delete trigger {name} with its sessions and secrets?",
    "says": "Deleted {name}.",
    "tool": "trigger_delete",
    "positionals": {
      "name": {
        "description": "its name",
        "required": true
      }
    },
    "options": {}
  },
  {
    "name": "trigger disable",
    "summary": "have a trigger fire no more",
    "examples": [
      "trigger disable nightly"
    ],
    "fixed": {
      "enabled": false
    },
    "says": "Trigger {name} fires no more.",
    "tool": "trigger_update",
    "positionals": {
      "name": {
        "description": "its name",
        "required": true
      }
    },
    "options": {}
  },
  {
    "name": "trigger edit",
    "summary": "change a trigger",
    "examples": [
      "trigger edit nightly --schedule '0 4 * * *'"
    ],
    "says": "Trigger {name} is changed.",
    "tool": "trigger_update",
    "positionals": {
      "name": {
        "description": "its name",
        "required": true
      }
    },
    "options": {
      "description": {
        "type": "text",
        "value": "DESCRIPTION",
        "description": "what it is for"
      },
      "channel": {
        "type": "text",
        "value": "CHANNEL",
        "description": "of the tasks it makes; internal unless said"
      },
      "schedule": {
        "type": "text",
        "value": "SCHEDULE",
        "description": "for cron: five fields such as 0 9 * * MON-FRI, or @daily"
      },
      "timezone": {
        "type": "text",
        "value": "TIMEZONE",
        "description": "of the schedule, such as Europe/Berlin; UTC unless said"
      },
      "missed": {
        "type": "text",
        "value": "MISSED",
        "description": "what of slots that passed while the hub was down; once unless said",
        "choices": [
          "skip",
          "once",
          "all"
        ]
      },
      "missed_max": {
        "type": "integer",
        "value": "MISSED_MAX",
        "description": "with all: the newest so many; 10 unless said",
        "minimum": 1,
        "maximum": 100
      },
      "missed_window_seconds": {
        "type": "integer",
        "value": "MISSED_WINDOW_SECONDS",
        "description": "with all: no older ones; a day unless said",
        "minimum": 60,
        "maximum": 604800
      },
      "overlap": {
        "type": "text",
        "value": "OVERLAP",
        "description": "what while the last run goes on; queue unless said",
        "choices": [
          "skip",
          "queue",
          "allow"
        ]
      },
      "webhook_secret": {
        "type": "text",
        "value": "WEBHOOK_SECRET",
        "description": "by which senders prove themselves, 8 to 256 characters"
      },
      "prompt": {
        "type": "text",
        "value": "PROMPT",
        "description": "what is asked; {{payload}}, {{payload.a.b}}, {{sender}} are filled in"
      },
      "session_mode": {
        "type": "text",
        "value": "SESSION_MODE",
        "description": "a fresh session each time, or the same one; ephemeral unless said",
        "choices": [
          "ephemeral",
          "persistent"
        ]
      },
      "session_key": {
        "type": "text",
        "value": "SESSION_KEY",
        "description": "which session, such as {{payload.thread_id}}"
      }
    }
  },
  {
    "name": "trigger enable",
    "summary": "have a trigger fire again",
    "examples": [
      "trigger enable nightly"
    ],
    "fixed": {
      "enabled": true
    },
    "says": "Trigger {name} fires from now on.",
    "tool": "trigger_update",
    "positionals": {
      "name": {
        "description": "its name",
        "required": true
      }
    },
    "options": {}
  },
  {
    "name": "trigger list",
    "summary": "list the triggers",
    "examples": [
      "trigger list",
      "trigger list --type cron"
    ],
    "rows": {
      "list": "triggers",
      "columns": [
        "name",
        "type",
        "schedule",
        "enabled",
        "next_run",
        "last_run",
        "run_count"
      ],
      "none": "There are no triggers."
    },
    "id": "name",
    "tool": "trigger_list",
    "positionals": {},
    "options": {
      "type": {
        "type": "text",
        "value": "TYPE",
        "description": "of this type only",
        "choices": [
          "cron",
          "webhook",
          "manual"
        ]
      }
    }
  },
  {
    "name": "trigger rotate",
    "summary": "give a webhook a new secret",
    "examples": [
      "trigger rotate github",
      "trigger rotate github --overlap-seconds 3600"
    ],
    "says": "The secret of {name}, shown this once: {webhook_secret}",
    "id": "webhook_secret",
    "tool": "trigger_rotate",
    "positionals": {
      "name": {
        "description": "its name",
        "required": true
      }
    },
    "options": {
      "webhook_secret": {
        "type": "text",
        "value": "WEBHOOK_SECRET",
        "description": "the new one; made up unless given"
      },
      "overlap_seconds": {
        "type": "integer",
        "value": "OVERLAP_SECONDS",
        "description": "for how long the old ones still count",
        "minimum": 0,
        "maximum": 2592000
      }
    }
  },
  {
    "name": "trigger run",
    "summary": "fire a trigger by hand",
    "examples": [
      "trigger run nightly",
      "trigger run github --payload '{\"n\":1}'"
    ],
    "says": "Fired {trigger}: run {id}, task {task_id}.",
    "id": "id",
    "tool": "trigger_run",
    "positionals": {
      "name": {
        "description": "its name",
        "required": true
      }
    },
    "options": {
      "payload": {
        "type": "text",
        "value": "PAYLOAD",
        "description": "text, or JSON"
      },
      "session_key": {
        "type": "text",
        "value": "SESSION_KEY",
        "description": "which of its sessions"
      },
      "again": {
        "type": "text",
        "value": "AGAIN",
        "description": "an earlier run: with what came with that"
      }
    }
  },
  {
    "name": "trigger runs",
    "summary": "list when triggers fired, and what came of it",
    "examples": [
      "trigger runs",
      "trigger runs nightly"
    ],
    "rows": {
      "list": "runs",
      "columns": [
        "id",
        "trigger",
        "source",
        "state",
        "scheduled_at",
        "started_at",
        "ended_at",
        "outcome",
        "reason"
      ],
      "none": "Nothing has fired."
    },
    "id": "id",
    "tool": "trigger_runs",
    "positionals": {
      "name": {
        "description": "of which trigger; of all without it"
      }
    },
    "options": {
      "limit": {
        "type": "integer",
        "value": "LIMIT",
        "description": "how many",
        "minimum": 1,
        "maximum": 100
      },
      "before": {
        "type": "text",
        "value": "BEFORE",
        "description": "the next of the last page"
      }
    }
  },
  {
    "name": "trigger show",
    "summary": "show a trigger, with its next slots and its address",
    "examples": [
      "trigger show github"
    ],
    "tool": "trigger_get",
    "positionals": {
      "name": {
        "description": "its name",
        "required": true
      }
    },
    "options": {
      "runs": {
        "type": "integer",
        "value": "RUNS",
        "description": "with so many of its last runs",
        "minimum": 0,
        "maximum": 100
      }
    }
  },
  {
    "name": "trigger test",
    "summary": "see what a trigger would say, without firing it",
    "examples": [
      "trigger test github --payload '{\"n\":1}'",
      "trigger test github --run 1800000000000000"
    ],
    "says": "{prompt}",
    "tool": "trigger_test",
    "positionals": {
      "name": {
        "description": "its name",
        "required": true
      }
    },
    "options": {
      "run": {
        "type": "text",
        "value": "RUN",
        "description": "an earlier run: with what came with that"
      },
      "payload": {
        "type": "text",
        "value": "PAYLOAD",
        "description": "text, or JSON"
      }
    }
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
