/** Made by `npm run reference` from the commands that tools define; do not edit. */
import type { MadeCommand } from "./tool-command.ts";

export const MADE: readonly MadeCommand[] = [
  {
    "examples": [
      "ack 1760000000000000",
      "ack 1760000000000000 1760000000000001"
    ],
    "acting": true,
    "fixed": {
      "action": "ack"
    },
    "rows": {
      "list": "messages",
      "each": "Message #{id} acknowledged."
    },
    "id": "id",
    "name": "ack",
    "summary": "say that a mail is dealt with",
    "details": "Says to its sender that you dealt with it. It is marked as read too.",
    "tool": "mail_update",
    "positionals": {
      "ids": {
        "description": "the mails, or latest; all of them are changed or none",
        "required": true,
        "rest": true,
        "names": {
          "what": "mail",
          "tool": "mail_search",
          "list": "messages",
          "short": true,
          "between": [
            "after",
            "until"
          ],
          "latest": [
            {
              "folder": "inbox"
            }
          ],
          "code": "MAIL_NOT_FOUND"
        }
      }
    },
    "options": {}
  },
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
        "required": true,
        "names": {
          "what": "agent",
          "tool": "agent_list",
          "args": {
            "all": true
          },
          "list": "agents",
          "field": "name",
          "code": "AGENT_NOT_FOUND"
        }
      }
    },
    "options": {}
  },
  {
    "name": "agent delete",
    "summary": "delete an agent",
    "people": true,
    "examples": [
      "agent delete scout",
      "agent delete scout --yes",
      "agent delete scout --dry-run"
    ],
    "details": "Its tokens stop working at once, and nobody gets its name again. Its mail stays for people to read.",
    "asks": {
      "question": "Delete {name}? Its tokens end, and nobody gets its name again.",
      "refused": "Nothing was deleted."
    },
    "dry_run": {
      "says": "Would delete {name}."
    },
    "says": "Deleted {name}. Its name stays taken.",
    "forgets": "name",
    "tool": "agent_delete",
    "positionals": {
      "name": {
        "description": "its name",
        "required": true,
        "names": {
          "what": "agent",
          "tool": "agent_list",
          "args": {
            "all": true
          },
          "list": "agents",
          "field": "name",
          "code": "AGENT_NOT_FOUND"
        }
      }
    },
    "options": {}
  },
  {
    "name": "agent discover",
    "summary": "find agents by presence, project or name",
    "examples": [
      "agent discover --status active",
      "agent discover --project /work/shop",
      "agent discover --name Ocean"
    ],
    "details": "What is given has to hold all together.",
    "folders": [
      "project"
    ],
    "rows": {
      "list": "agents",
      "columns": [
        "name",
        "type",
        "state",
        "default",
        "project",
        "branch",
        "last_seen_at"
      ],
      "cells": {
        "state": [
          {
            "when": {
              "lifecycle": "stopped"
            },
            "says": "stopped"
          },
          {
            "when": {
              "lifecycle": "failed"
            },
            "says": "failed"
          },
          {
            "when": {
              "last_seen_at": null
            },
            "says": "not seen"
          },
          {
            "when": {
              "presence": "offline"
            },
            "says": "away"
          },
          {
            "when": {
              "lifecycle": "starting"
            },
            "says": "starting"
          },
          {
            "when": {
              "run_phase": "idle",
              "presence": "idle"
            },
            "says": "idle"
          },
          {
            "when": {
              "run_phase": "idle"
            },
            "says": "ready"
          },
          {
            "when": {
              "run_phase": "sampling"
            },
            "says": "thinking"
          },
          {
            "when": {
              "run_phase": "tools_running"
            },
            "says": "working"
          },
          {
            "when": {
              "run_phase": "waiting_approval"
            },
            "says": "waiting for approval"
          },
          {
            "when": {
              "run_phase": "waiting_input"
            },
            "says": "waiting for you"
          },
          {
            "says": "unknown"
          }
        ]
      },
      "none": "There is no such agent. See them all: `agent list --all`"
    },
    "id": "name",
    "tool": "agent_find",
    "positionals": {},
    "options": {
      "status": {
        "type": "text",
        "value": "STATUS",
        "description": "active, idle or offline",
        "choices": [
          "active",
          "idle",
          "offline"
        ]
      },
      "project": {
        "type": "text",
        "value": "PROJECT",
        "description": "works in this folder, or below it"
      },
      "name": {
        "type": "text",
        "value": "NAME",
        "description": "has this in its name"
      }
    }
  },
  {
    "name": "agent list",
    "summary": "list the agents of a space",
    "examples": [
      "agent list",
      "agent list --all",
      "agent list --space sess_review"
    ],
    "rows": {
      "list": "agents",
      "columns": [
        "name",
        "type",
        "state",
        "default",
        "project",
        "branch",
        "last_seen_at"
      ],
      "cells": {
        "state": [
          {
            "when": {
              "lifecycle": "stopped"
            },
            "says": "stopped"
          },
          {
            "when": {
              "lifecycle": "failed"
            },
            "says": "failed"
          },
          {
            "when": {
              "last_seen_at": null
            },
            "says": "not seen"
          },
          {
            "when": {
              "presence": "offline"
            },
            "says": "away"
          },
          {
            "when": {
              "lifecycle": "starting"
            },
            "says": "starting"
          },
          {
            "when": {
              "run_phase": "idle",
              "presence": "idle"
            },
            "says": "idle"
          },
          {
            "when": {
              "run_phase": "idle"
            },
            "says": "ready"
          },
          {
            "when": {
              "run_phase": "sampling"
            },
            "says": "thinking"
          },
          {
            "when": {
              "run_phase": "tools_running"
            },
            "says": "working"
          },
          {
            "when": {
              "run_phase": "waiting_approval"
            },
            "says": "waiting for approval"
          },
          {
            "when": {
              "run_phase": "waiting_input"
            },
            "says": "waiting for you"
          },
          {
            "says": "unknown"
          }
        ]
      },
      "none": "There are no agents yet.\nNext: `token create --role agent --name scout`"
    },
    "id": "name",
    "tool": "agent_list",
    "positionals": {},
    "options": {
      "all": {
        "type": "flag",
        "description": "also those of sessions not seen for a week"
      }
    }
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
    "name": "agent whoami",
    "summary": "say which agent you are",
    "acting": true,
    "examples": [
      "agent whoami",
      "agent whoami --agent webshop-main",
      "agent whoami --session-id 4f1c"
    ],
    "details": "By --agent, the session, the project's default, or the token, in this order.",
    "id": "principal",
    "tool": "whoami",
    "positionals": {},
    "options": {}
  },
  {
    "examples": [
      "archive 1760000000000000",
      "archive 1760000000000000 1760000000000001"
    ],
    "acting": true,
    "fixed": {
      "action": "archive"
    },
    "rows": {
      "list": "messages",
      "each": "Message #{id} moved to archived."
    },
    "id": "id",
    "name": "archive",
    "summary": "put mail away",
    "details": "Out of the inbox; parley inbox --folder archived shows it.",
    "tool": "mail_update",
    "positionals": {
      "ids": {
        "description": "the mails, or latest; all of them are changed or none",
        "required": true,
        "rest": true,
        "names": {
          "what": "mail",
          "tool": "mail_search",
          "list": "messages",
          "short": true,
          "between": [
            "after",
            "until"
          ],
          "latest": [
            {
              "folder": "inbox"
            }
          ],
          "code": "MAIL_NOT_FOUND"
        }
      }
    },
    "options": {}
  },
  {
    "name": "identity list",
    "summary": "list which session is which agent",
    "people": true,
    "examples": [
      "identity list"
    ],
    "rows": {
      "list": "sessions",
      "columns": [
        "agent",
        "client",
        "project",
        "branch",
        "client_session_id",
        "last_seen_at"
      ],
      "none": "No session is an agent yet."
    },
    "id": "agent",
    "tool": "agent_sessions",
    "positionals": {},
    "options": {}
  },
  {
    "name": "later",
    "summary": "put off something that waits for you",
    "people": true,
    "examples": [
      "later 1760000000000000 2h",
      "later 1760000000000000 2027-03-01T09:00:00Z"
    ],
    "details": "Others still see it, and whoever asks still waits.",
    "says": [
      {
        "when": {
          "until": null
        },
        "says": "Back in your list."
      },
      {
        "says": "Out of your list until {until}."
      }
    ],
    "id": "id",
    "tool": "need_later",
    "positionals": {
      "id": {
        "description": "its id, as needs shows it",
        "required": true,
        "names": {
          "what": "thing that waits for you",
          "tool": "need_list",
          "args": {
            "limit": 100
          },
          "list": "needs",
          "short": true
        }
      },
      "until": {
        "description": "until when: 30m, 2h, 3d or ISO time; now takes it back",
        "required": true
      }
    },
    "options": {}
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
        "rest": true,
        "names": {
          "what": "agent",
          "tool": "agent_list",
          "args": {
            "all": true
          },
          "list": "agents",
          "field": "name",
          "code": "AGENT_NOT_FOUND"
        }
      }
    },
    "options": {}
  },
  {
    "name": "needs",
    "summary": "see what waits for you",
    "people": true,
    "examples": [
      "needs",
      "needs --everywhere",
      "needs --limit 5 --before 1760000000000000"
    ],
    "details": "What agents ask, what the hub has to tell, and mail that waits for your answer: the list the page shows.",
    "rows": {
      "list": "needs",
      "none": "Nothing waits for you.",
      "block": {
        "about": [
          "{id}",
          "{kind}",
          [
            {
              "when": {
                "from": null
              },
              "says": "from the hub"
            },
            {
              "says": "from {from}"
            }
          ],
          "[in {space}]",
          "{asked_at}"
        ],
        "title": "{title}",
        "text": "text",
        "below": [
          "[Choices: {choices}]",
          [
            {
              "when": {
                "tool": "mail_reply"
              },
              "says": "To deal with it: `reply {id} --body TEXT[ --space {space}]`"
            },
            {
              "when": {
                "choices": null
              },
              "says": "To deal with it: `notice settle {id}[ --space {space}]`"
            },
            {
              "says": "To deal with it: `notice settle {id} --choice CHOICE[ --space {space}]`"
            }
          ]
        ]
      },
      "more": "before"
    },
    "id": "id",
    "tool": "need_list",
    "positionals": {},
    "options": {
      "limit": {
        "type": "integer",
        "value": "LIMIT",
        "description": "at most so many",
        "minimum": 1,
        "maximum": 100
      },
      "before": {
        "type": "text",
        "value": "BEFORE",
        "description": "the next of the last page"
      },
      "everywhere": {
        "type": "flag",
        "description": "in every space you may use, not in this one alone"
      },
      "put_off": {
        "type": "flag",
        "description": "what you have put off, instead of what waits now"
      }
    }
  },
  {
    "name": "notices",
    "summary": "see what people were told and asked",
    "people": true,
    "examples": [
      "notices",
      "notices --limit 5 --before 1760000000000000"
    ],
    "details": "Newest first, with how each was answered. What waits for you is in: parley needs",
    "rows": {
      "list": "notices",
      "none": "There are no notices.",
      "block": {
        "about": [
          "{id}",
          "{kind}",
          [
            {
              "when": {
                "raised_by": null
              },
              "says": "from the hub"
            },
            {
              "says": "from {raised_by}"
            }
          ],
          "{raised_at}",
          [
            {
              "when": {
                "state": "open"
              },
              "says": ""
            },
            {
              "says": "{state}[ {choice}][ by {settled_by}]"
            }
          ]
        ],
        "title": "{title}",
        "text": "text",
        "below": [
          [
            {
              "when": {
                "state": "open"
              },
              "says": "[Choices: {choices}]"
            }
          ]
        ]
      },
      "more": "before"
    },
    "id": "id",
    "tool": "notice_list",
    "positionals": {},
    "options": {
      "limit": {
        "type": "integer",
        "value": "LIMIT",
        "description": "at most so many",
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
    "name": "receipts",
    "summary": "see how far mail came that you sent",
    "acting": true,
    "examples": [
      "receipts latest",
      "receipts 1760000000000000"
    ],
    "details": "For each recipient the furthest there is proof of: stored, offered, injected, read or acknowledged.",
    "rows": {
      "list": "recipients",
      "columns": [
        "name",
        "state",
        "read_at",
        "acked_at",
        "by"
      ],
      "cells": {
        "by": {
          "of": "deliveries",
          "says": "{channel} {state} ×{attempt}"
        }
      }
    },
    "id": "name",
    "tool": "mail_status",
    "positionals": {
      "id": {
        "description": "a mail that you sent; latest for the last one",
        "required": true,
        "names": {
          "what": "mail",
          "tool": "mail_search",
          "list": "messages",
          "short": true,
          "between": [
            "after",
            "until"
          ],
          "latest": [
            {
              "folder": "sent"
            }
          ],
          "code": "MAIL_NOT_FOUND"
        }
      }
    },
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
      "none": "Nothing was started.",
      "more": "before"
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
    "name": "runs show",
    "summary": "show a run, with its attempts and what it printed",
    "examples": [
      "runs show 1763366400000000",
      "runs show latest"
    ],
    "shows": {
      "fields": [
        "id",
        "kind",
        "name",
        "state",
        "waits_for",
        "not_before",
        "session_mode",
        "session_key",
        "session_id",
        "attempt",
        "host",
        "pid",
        "created_at",
        "started_at",
        "ended_at",
        "stop_requested_by",
        "exit_code",
        "signal",
        "cost_usd",
        "output_bytes",
        "cause"
      ],
      "tables": {
        "attempts": [
          "attempt",
          "node",
          "started_at",
          "ended_at",
          "outcome",
          "exit_code",
          "signal",
          "cost_usd",
          "error"
        ]
      },
      "texts": [
        "prompt",
        "error",
        "output"
      ]
    },
    "id": "id",
    "tool": "run_show",
    "positionals": {
      "id": {
        "description": "which run, as runs list shows it, as short as names one, or latest",
        "required": true,
        "names": {
          "what": "run",
          "tool": "run_list",
          "list": "runs",
          "short": true,
          "before": "before"
        }
      }
    },
    "options": {}
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
        "description": "which run, as runs list shows it, as short as names one, or latest",
        "required": true,
        "names": {
          "what": "run",
          "tool": "run_list",
          "list": "runs",
          "short": true,
          "before": "before"
        }
      }
    },
    "options": {}
  },
  {
    "examples": [
      "snooze 1760000000000000 --until 2h",
      "snooze 1760000000000000 --until 2026-12-01T09:00:00Z"
    ],
    "acting": true,
    "fixed": {
      "action": "snooze"
    },
    "rows": {
      "list": "messages",
      "each": "Message #{id} snoozed until {snoozed_until}."
    },
    "id": "id",
    "name": "snooze",
    "summary": "have mail come back later",
    "details": "It leaves the inbox and comes back at that time, as new.",
    "tool": "mail_update",
    "positionals": {
      "ids": {
        "description": "the mails, or latest; all of them are changed or none",
        "required": true,
        "rest": true,
        "names": {
          "what": "mail",
          "tool": "mail_search",
          "list": "messages",
          "short": true,
          "between": [
            "after",
            "until"
          ],
          "latest": [
            {
              "folder": "inbox"
            }
          ],
          "code": "MAIL_NOT_FOUND"
        }
      }
    },
    "options": {
      "until": {
        "type": "text",
        "value": "UNTIL",
        "description": "for snooze: 30m, 2h, 3d or ISO time",
        "required": true
      }
    }
  },
  {
    "name": "space create",
    "summary": "open a space",
    "people": true,
    "examples": [
      "space create",
      "space create sess_review --ttl 7d"
    ],
    "details": "Everything in it is gone when it expires.",
    "shows": {
      "fields": [
        "space",
        "created_at",
        "expires_at"
      ]
    },
    "id": "space",
    "tool": "space_create",
    "positionals": {
      "id": {
        "description": "its id: a UUID or sess_…; chosen for you without it"
      }
    },
    "options": {
      "ttl": {
        "type": "text",
        "value": "TIME",
        "description": "how long it lives from now on, a day if left out"
      }
    },
    "durations": {
      "ttl": "ttl_seconds"
    }
  },
  {
    "name": "space delete",
    "summary": "delete a space and everything in it",
    "people": true,
    "examples": [
      "space delete sess_review",
      "space delete sess_review --yes",
      "space delete sess_review --dry-run"
    ],
    "asks": {
      "question": "Delete {id} and everything in it? It cannot be brought back.",
      "refused": "Nothing was deleted."
    },
    "dry_run": {
      "says": "Would delete {id} and everything in it."
    },
    "says": "Deleted {id} and everything in it.",
    "tool": "space_delete",
    "positionals": {
      "id": {
        "description": "its id, or how it begins",
        "required": true,
        "names": {
          "what": "space",
          "tool": "space_list",
          "list": "spaces",
          "field": "space",
          "short": true,
          "code": "SESSION_NOT_FOUND"
        }
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
        "required": true,
        "names": {
          "what": "topic",
          "tool": "mail_topics",
          "list": "topics",
          "field": "topic"
        }
      }
    },
    "options": {}
  },
  {
    "name": "task add",
    "summary": "give workers a task",
    "examples": [
      "task add \"Summarise the logs of last night\"",
      "task add --priority 10 --run-at 2h - < brief.md",
      "task add --needs gpu --dedup-key nightly \"Train it anew\""
    ],
    "details": "Whoever works on it knows nothing but what it says. You get the result as mail, or with parley task wait.",
    "text": true,
    "says": "Task {id} is {status}[, held back for {held_for}].",
    "id": "id",
    "tool": "task_create",
    "positionals": {
      "content": {
        "description": "what is to be done, or - to read it from stdin",
        "required": true,
        "rest": true
      }
    },
    "options": {
      "channel": {
        "type": "text",
        "value": "CHANNEL",
        "description": "where it comes from, such as web, internal, signal, email"
      },
      "priority": {
        "type": "integer",
        "value": "PRIORITY",
        "description": "higher is earlier; waiting makes up for it",
        "minimum": -100,
        "maximum": 100
      },
      "run_at": {
        "type": "text",
        "value": "RUN_AT",
        "description": "not before: 30m, 2h or ISO time"
      },
      "dedup_key": {
        "type": "text",
        "value": "DEDUP_KEY",
        "description": "while a task with it waits or runs, that one is returned"
      },
      "concurrency_key": {
        "type": "text",
        "value": "CONCURRENCY_KEY",
        "description": "of tasks with the same one, only some run at a time"
      },
      "concurrency_limit": {
        "type": "integer",
        "value": "CONCURRENCY_LIMIT",
        "description": "how many",
        "minimum": 1,
        "maximum": 1000
      },
      "needs": {
        "type": "list",
        "value": "NEEDS",
        "description": "what a worker must offer to be given it"
      },
      "account": {
        "type": "text",
        "value": "ACCOUNT",
        "description": "whose quota and budget it uses"
      },
      "max_attempts": {
        "type": "integer",
        "value": "MAX_ATTEMPTS",
        "description": "after so many it is dead",
        "minimum": 1,
        "maximum": 100
      },
      "thread_id": {
        "type": "text",
        "value": "THREAD_ID",
        "description": "a mail thread of yours: the result is sent there"
      }
    }
  },
  {
    "name": "task cancel",
    "summary": "take a task back",
    "examples": [
      "task cancel 1763366400000000",
      "task cancel latest --reason 'no longer needed'"
    ],
    "details": "The worker of one that is processing is asked to stop.",
    "says": "Task {id} is {status}[, and its worker is asked to stop since {cancel_requested_at}].",
    "id": "id",
    "tool": "task_cancel",
    "positionals": {
      "task_id": {
        "description": "the task, as short as names one, or latest",
        "required": true,
        "names": {
          "what": "task",
          "tool": "task_find",
          "list": "tasks",
          "short": true,
          "before": "before"
        }
      }
    },
    "options": {
      "reason": {
        "type": "text",
        "value": "REASON",
        "description": "told to whoever waits for it"
      }
    }
  },
  {
    "name": "task done",
    "summary": "say that you did a task, with the result",
    "examples": [
      "task done 1763366400000000 \"There were three errors, all of the disk.\"",
      "task done latest - < report.md"
    ],
    "details": "The text is sent to whoever asked for it.",
    "text": true,
    "says": "Task {id} is {status}.",
    "id": "id",
    "tool": "task_complete",
    "positionals": {
      "task_id": {
        "description": "the task, as short as names one, or latest",
        "required": true,
        "names": {
          "what": "task",
          "tool": "task_find",
          "list": "tasks",
          "short": true,
          "before": "before"
        }
      },
      "response_summary": {
        "description": "the result, or - to read it from stdin",
        "required": true,
        "rest": true
      }
    },
    "options": {
      "attempt": {
        "type": "integer",
        "value": "ATTEMPT",
        "description": "as you were given it; left out, your own claim of this task counts",
        "maximum": 9007199254740991
      }
    }
  },
  {
    "name": "task fail",
    "summary": "give a task back with what went wrong",
    "examples": [
      "task fail 1763366400000000 \"The disk is full.\"",
      "task fail latest --throttled-until 2h \"The quota is used up.\""
    ],
    "details": "It is tried again later, or is dead after its last attempt.",
    "text": true,
    "says": "Task {id} is {status}[, to be tried again {run_at}].",
    "id": "id",
    "tool": "task_fail",
    "positionals": {
      "task_id": {
        "description": "the task, as short as names one, or latest",
        "required": true,
        "names": {
          "what": "task",
          "tool": "task_find",
          "list": "tasks",
          "short": true,
          "before": "before"
        }
      },
      "error": {
        "description": "what went wrong, or - to read it from stdin",
        "required": true,
        "rest": true
      }
    },
    "options": {
      "throttled_until": {
        "type": "text",
        "value": "THROTTLED_UNTIL",
        "description": "you met a quota: until when it lasts, such as 2h. Costs no attempt"
      },
      "attempt": {
        "type": "integer",
        "value": "ATTEMPT",
        "description": "as you were given it; left out, your own claim of this task counts",
        "maximum": 9007199254740991
      }
    }
  },
  {
    "name": "task get",
    "summary": "look at a task, with every attempt and who waits for it",
    "examples": [
      "task get 1763366400000000",
      "task get latest"
    ],
    "shows": {
      "fields": [
        "id",
        "status",
        "held_for",
        "channel",
        "sender",
        "priority",
        "created_at",
        "run_at",
        "processed_at",
        "attempt",
        "max_attempts",
        "claimed_by",
        "lease_expires_at",
        "needs",
        "account",
        "dedup_key",
        "concurrency_key",
        "cancel_requested_at",
        "cancel_reason",
        "thread_id",
        "cause"
      ],
      "tables": {
        "attempts": [
          "attempt",
          "worker",
          "outcome",
          "claimed_at",
          "ended_at",
          "error"
        ],
        "awaits": [
          "waiter",
          "session_key",
          "registered_at",
          "offered_at",
          "consumed_at"
        ]
      },
      "texts": [
        "content",
        "response_summary",
        "error"
      ]
    },
    "id": "id",
    "tool": "task_get",
    "positionals": {
      "task_id": {
        "description": "the task, as short as names one, or latest",
        "required": true,
        "names": {
          "what": "task",
          "tool": "task_find",
          "list": "tasks",
          "short": true,
          "before": "before"
        }
      }
    },
    "options": {}
  },
  {
    "name": "task list",
    "summary": "list tasks",
    "examples": [
      "task list",
      "task list --status dead",
      "task list --status done --channel email --limit 5"
    ],
    "rows": {
      "list": "tasks",
      "columns": [
        "id",
        "content",
        "held_for",
        "claimed_by",
        "lease_expires_at",
        "sender",
        "created_at",
        "processed_at",
        "error"
      ],
      "none": "There are none.",
      "more": "cursor"
    },
    "id": "id",
    "tool": "task_list",
    "positionals": {},
    "options": {
      "status": {
        "type": "text",
        "value": "STATUS",
        "description": "of this status; pending if left out",
        "choices": [
          "pending",
          "processing",
          "done",
          "cancelled",
          "dead"
        ]
      },
      "channel": {
        "type": "text",
        "value": "CHANNEL",
        "description": "of this channel only"
      },
      "limit": {
        "type": "integer",
        "value": "LIMIT",
        "description": "how many at most",
        "minimum": 1,
        "maximum": 100
      },
      "cursor": {
        "type": "text",
        "value": "CURSOR",
        "description": "the next of the last page"
      }
    }
  },
  {
    "name": "task next",
    "summary": "take the next task",
    "examples": [
      "task next",
      "task next --offers gpu --wait 5m"
    ],
    "details": "It is yours until its lease is over: end it with parley task done or parley task fail. To work on one after another: parley worker run",
    "says": "[{warning}][{message}]",
    "shows": {
      "of": [
        "next_task",
        "active_task"
      ],
      "fields": [
        "id",
        "status",
        "held_for",
        "channel",
        "sender",
        "priority",
        "created_at",
        "run_at",
        "processed_at",
        "attempt",
        "max_attempts",
        "claimed_by",
        "lease_expires_at",
        "needs",
        "account",
        "dedup_key",
        "concurrency_key",
        "cancel_requested_at",
        "cancel_reason",
        "thread_id",
        "cause"
      ],
      "texts": [
        "content",
        "response_summary",
        "error"
      ]
    },
    "id": "id",
    "tool": "get_next_task",
    "positionals": {},
    "options": {
      "offers": {
        "type": "list",
        "value": "OFFERS",
        "description": "what you can do that tasks may need, such as gpu"
      },
      "wait": {
        "type": "text",
        "value": "TIME",
        "description": "how long to wait for one while there is none"
      }
    },
    "durations": {
      "wait": "wait_seconds"
    }
  },
  {
    "name": "task requeue",
    "summary": "have dead tasks tried again",
    "examples": [
      "task requeue 1763366400000000",
      "task requeue --channel email --dry-run",
      "task requeue --error ECONNRESET --per-minute 60 --yes",
      "task requeue --stop 1763366400000000"
    ],
    "details": "Without an id all dead tasks that fit, so many a minute.",
    "people": true,
    "asks": {
      "question": "Try {matched|dead task} again?",
      "unless": [
        "task_id",
        "stop"
      ]
    },
    "dry_run": {
      "says": "Would try {matched|dead task} again.",
      "fixed": {
        "preview": true
      }
    },
    "says": "{requeued} of {matched|dead task} requeued.[ To stop it: `task requeue --stop {requeue_id}`]",
    "id": "requeue_id",
    "tool": "task_requeue",
    "positionals": {
      "task_id": {
        "description": "this one alone, as short as names one",
        "names": {
          "what": "task",
          "tool": "task_find",
          "list": "tasks",
          "short": true,
          "before": "before"
        }
      }
    },
    "options": {
      "channel": {
        "type": "text",
        "value": "CHANNEL",
        "description": "those of this channel"
      },
      "error": {
        "type": "text",
        "value": "ERROR",
        "description": "those whose last error contains this"
      },
      "per_minute": {
        "type": "integer",
        "value": "PER_MINUTE",
        "description": "how many a minute",
        "minimum": 1,
        "maximum": 60000
      },
      "stop": {
        "type": "text",
        "value": "STOP",
        "description": "a requeue_id: no more of it"
      }
    }
  },
  {
    "name": "task stats",
    "summary": "count tasks by status and channel",
    "examples": [
      "task stats"
    ],
    "tool": "inbox_stats",
    "positionals": {},
    "options": {}
  },
  {
    "name": "task wakes",
    "summary": "list ends of tasks that triggers have not taken yet",
    "examples": [
      "task wakes"
    ],
    "rows": {
      "list": "wakes",
      "columns": [
        "task_id",
        "trigger_name",
        "session_key",
        "status",
        "ended_at",
        "offered_at",
        "offers"
      ],
      "none": "No trigger is owed an end."
    },
    "id": "task_id",
    "tool": "wake_list",
    "positionals": {},
    "options": {
      "limit": {
        "type": "integer",
        "value": "LIMIT",
        "description": "how many at most",
        "minimum": 1,
        "maximum": 100
      }
    }
  },
  {
    "name": "token create",
    "summary": "give a person or an agent a credential",
    "common": true,
    "people": true,
    "examples": [
      "token create --role agent --name scout",
      "token create --role human --name ana --for 'the laptop'"
    ],
    "details": "The token is shown this once; the hub keeps only its hash. An agent of that name is registered if it is new.",
    "says": "{token}\n\nKeep it: it is not shown again. Use it: export PARLEY_TOKEN={token}\n",
    "shows": {
      "fields": [
        "id",
        "principal",
        "space",
        "also_revoked",
        "codes_ended"
      ]
    },
    "id": "token",
    "tool": "token_create",
    "positionals": {},
    "options": {
      "role": {
        "type": "text",
        "value": "ROLE",
        "description": "what its holder may do",
        "required": true,
        "choices": [
          "admin",
          "human",
          "agent",
          "orchestrator",
          "trigger",
          "worker",
          "observer"
        ]
      },
      "name": {
        "type": "text",
        "value": "NAME",
        "description": "whose token it is. A new name makes a new principal",
        "required": true
      },
      "for": {
        "type": "text",
        "value": "LABEL",
        "description": "what it is for, as token_list will say"
      }
    },
    "called": {
      "for": "label"
    }
  },
  {
    "name": "token list",
    "summary": "list the credentials",
    "people": true,
    "examples": [
      "token list"
    ],
    "rows": {
      "list": "tokens",
      "columns": [
        "id",
        "principal",
        "kind",
        "made_for",
        "grants",
        "made_by",
        "created_at",
        "expires_at",
        "revoked_at"
      ],
      "cells": {
        "made_for": [
          {
            "when": {
              "label": "browser"
            },
            "says": "a browser"
          },
          {
            "when": {
              "label": "session"
            },
            "says": "an agent's session"
          },
          {
            "says": "{label}"
          }
        ],
        "grants": {
          "of": "grants",
          "says": "{role}@{space}"
        }
      }
    },
    "id": "id",
    "tool": "token_list",
    "positionals": {},
    "options": {}
  },
  {
    "name": "token revoke",
    "summary": "take a credential back",
    "people": true,
    "examples": [
      "token revoke t_1234",
      "token revoke t_1234 --yes",
      "token revoke t_1234 --dry-run"
    ],
    "details": "It stops working at once, with the streams it had opened, and so does every token and every sign-in made with it.",
    "asks": {
      "question": "Revoke {id} of {principal}[ (for {label})]? It stops working at once, with all that was made with it.",
      "refused": "Nothing was revoked."
    },
    "dry_run": {
      "says": "Would revoke {id} of {principal}."
    },
    "says": "Revoked {id}. It no longer works.[ Nor does what was made with it: {also_revoked|token}.][ {codes_ended|sign-in link} made with it ended too.]",
    "tool": "token_revoke",
    "positionals": {
      "id": {
        "description": "the token, as parley token list names it, or how it begins",
        "required": true,
        "names": {
          "what": "token",
          "tool": "token_list",
          "list": "tokens",
          "short": true,
          "unless": "revoked_at"
        }
      }
    },
    "options": {}
  },
  {
    "name": "token rotate",
    "summary": "replace a credential by a new one",
    "people": true,
    "examples": [
      "token rotate t_1234",
      "token rotate t_1234 --yes",
      "token rotate t_1234 --revoke-made"
    ],
    "details": "The old one stops working at once. Whoever has the new one goes on where the old one was.",
    "asks": {
      "question": "Replace {id} of {principal}[ (for {label})]? The one there is stops working at once.",
      "refused": "Nothing was replaced."
    },
    "dry_run": {
      "says": "Would rotate {id} of {principal}."
    },
    "says": "{token}\n\nKeep it: it is not shown again. Use it: export PARLEY_TOKEN={token}\n",
    "shows": {
      "fields": [
        "id",
        "principal",
        "space",
        "also_revoked",
        "codes_ended"
      ]
    },
    "id": "token",
    "tool": "token_rotate",
    "positionals": {
      "id": {
        "description": "the token, as parley token list names it, or how it begins",
        "required": true,
        "names": {
          "what": "token",
          "tool": "token_list",
          "list": "tokens",
          "short": true,
          "unless": "revoked_at"
        }
      }
    },
    "options": {
      "revoke_made": {
        "type": "flag",
        "description": "whether what the old secret made ends too"
      }
    }
  },
  {
    "name": "topics",
    "summary": "list the topics",
    "acting": true,
    "examples": [
      "topics",
      "topics --subscribed"
    ],
    "details": "A topic is there while somebody is subscribed to it.",
    "rows": {
      "list": "topics",
      "columns": [
        "topic",
        "subscribers",
        "subscribed"
      ],
      "none": "There are none. Begin one: `subscribe TOPIC`"
    },
    "id": "topic",
    "tool": "mail_topics",
    "positionals": {},
    "options": {
      "subscribed": {
        "type": "flag",
        "description": "only those you follow"
      }
    }
  },
  {
    "examples": [
      "trash 1760000000000000",
      "trash 1760000000000000 1760000000000001"
    ],
    "acting": true,
    "fixed": {
      "action": "trash"
    },
    "rows": {
      "list": "messages",
      "each": "Message #{id} moved to trash."
    },
    "id": "id",
    "name": "trash",
    "summary": "throw mail away",
    "details": "It is purged after 30 days; parley unarchive takes it back before.",
    "tool": "mail_update",
    "positionals": {
      "ids": {
        "description": "the mails, or latest; all of them are changed or none",
        "required": true,
        "rest": true,
        "names": {
          "what": "mail",
          "tool": "mail_search",
          "list": "messages",
          "short": true,
          "between": [
            "after",
            "until"
          ],
          "latest": [
            {
              "folder": "inbox"
            }
          ],
          "code": "MAIL_NOT_FOUND"
        }
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
    "says": "Trigger {name} is there.[\nWhatever is posted to {webhook_url} fires it. Try it:\n  {hint}\nGive it a new secret: `trigger rotate {name}`]",
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
        "description": "what while the last run goes on; queue for cron, else allow",
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
    "asks": {
      "question": "Delete trigger {name} with its sessions and secrets?"
    },
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
        "description": "what while the last run goes on; queue for cron, else allow",
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
    "says": "Fired {trigger}: run {id}[, task {task_id}].",
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
    "shows": {
      "of": [
        "trigger"
      ],
      "fields": [
        "name",
        "type",
        "enabled",
        "description",
        "schedule",
        "timezone",
        "next_runs",
        "channel",
        "overlap",
        "missed",
        "session_mode",
        "session_key",
        "run_count",
        "last_run",
        "webhook_url"
      ],
      "tables": {
        "secrets": [
          "created_at",
          "retires_at"
        ],
        "runs": [
          "id",
          "source",
          "state",
          "started_at"
        ]
      },
      "texts": [
        "prompt",
        "hint"
      ]
    },
    "id": "name",
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
    "examples": [
      "unarchive 1760000000000000",
      "unarchive 1760000000000000 1760000000000001"
    ],
    "acting": true,
    "fixed": {
      "action": "inbox"
    },
    "rows": {
      "list": "messages",
      "each": "Message #{id} moved to inbox."
    },
    "id": "id",
    "name": "unarchive",
    "summary": "take mail back into the inbox",
    "details": "Back to the inbox, from the archive, the trash or a snooze.",
    "tool": "mail_update",
    "positionals": {
      "ids": {
        "description": "the mails, or latest; all of them are changed or none",
        "required": true,
        "rest": true,
        "names": {
          "what": "mail",
          "tool": "mail_search",
          "list": "messages",
          "short": true,
          "between": [
            "after",
            "until"
          ],
          "latest": [
            {
              "folder": "archived"
            },
            {
              "folder": "trash"
            },
            {
              "folder": "snoozed"
            }
          ],
          "code": "MAIL_NOT_FOUND"
        }
      }
    },
    "options": {}
  },
  {
    "examples": [
      "unread 1760000000000000",
      "unread 1760000000000000 1760000000000001"
    ],
    "acting": true,
    "fixed": {
      "action": "unread"
    },
    "rows": {
      "list": "messages",
      "each": "Message #{id} marked as unread."
    },
    "id": "id",
    "name": "unread",
    "summary": "mark mail as not read",
    "details": "As if you had not read it.",
    "tool": "mail_update",
    "positionals": {
      "ids": {
        "description": "the mails, or latest; all of them are changed or none",
        "required": true,
        "rest": true,
        "names": {
          "what": "mail",
          "tool": "mail_search",
          "list": "messages",
          "short": true,
          "between": [
            "after",
            "until"
          ],
          "latest": [
            {
              "folder": "inbox"
            }
          ],
          "code": "MAIL_NOT_FOUND"
        }
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
        "required": true,
        "names": {
          "what": "topic",
          "tool": "mail_topics",
          "list": "topics",
          "field": "topic"
        }
      }
    },
    "options": {}
  },
  {
    "name": "whoami",
    "summary": "say as whom you act",
    "acting": true,
    "examples": [
      "whoami",
      "whoami --agent webshop-main",
      "whoami --session-id 4f1c"
    ],
    "details": "By --agent, the session, the project's default, or the token, in this order.",
    "id": "principal",
    "tool": "whoami",
    "positionals": {},
    "options": {}
  }
];
