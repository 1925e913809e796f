/** What people read of a call and of a rule: the hub's own facts first, then what the agent says, and that it does. */
import { readableJson } from "../../../readable-json.ts";
import { cut } from "../../../text.ts";
import { visible, visibleLine } from "../../../visible.ts";
import type { Covers, Executes, Hint, PolicyDocument, Predicate, Rule, Ruling, Suspicion } from "../schema.ts";
import { HUB_SERVER } from "./built-in.ts";
import { ANY_TOOL } from "./evaluating.ts";

const MOST_TITLE_TOOL = 80;
/** What a card holds of arguments; all of them are in `approval_get`. */
const MOST_SHOWN = 7000;
const CUT = "approval_get shows all of it";
/** Enough of a fingerprint to tell the programs of a space apart. */
const SHOWN_OF_MOUNT = 8;

interface Asked {
  agent: string;
  /** The person who called it; null where the agent did. */
  called_by_name: string | null;
  server: string;
  tool: string;
  arguments: string;
  covers: Covers;
  executes: Executes;
  about: string;
  hints: string | null;
  /** The policy's, while nobody has decided. */
  reason: string | null;
}

interface Card {
  title: string;
  text: string;
  /** Where the arguments stand in the text. */
  arguments_at: { from: number; to: number };
}

export function cardOf(asked: Asked): Card {
  const { agent, server, covers, about, called_by_name: caller } = asked;
  const tool = visibleLine(asked.tool);
  const all = visible(givenIn(asked));
  const given = all.length > MOST_SHOWN ? `${cut(all, MOST_SHOWN)}\n[… ${CUT} …]` : all;
  const before = `${tool} of ${visibleLine(server)}, with:\n\n`;
  const after = [
    hintWords(asked),
    asked.reason && `The policy says: ${visible(asked.reason)}`,
    about && `${agent} says about it:\n${visible(about)}`,
    caller !== null &&
      `${caller} called it over the bridge, and not ${agent}: somebody else approves it, if there is anybody else.`,
    `${COVERED[covers]}${covers === "preview" && server === HUB_SERVER ? ASKS_AGAIN : ""} ${RUN_BY[asked.executes]} If you deny it, ${caller ?? agent} is told your reason and does without.`,
  ];
  const short = cut(tool, MOST_TITLE_TOOL);
  return {
    title:
      caller === null ? `${agent} asks: may it use ${short}?` : `${caller} asks: may ${short} of ${agent} be used?`,
    text: [before + given, ...after.filter(Boolean)].join("\n\n"),
    arguments_at: { from: before.length, to: before.length + given.length },
  };
}

const HINT_WORDS: Record<Exclude<Hint, "read_only">, string> = {
  destructive: "it may delete or overwrite things",
  open_world: "it reaches beyond this hub",
};

/** What a server warns of. That a tool is harmless is left out: nobody should be less careful for it. */
function hintWords({ server, hints }: Asked): string {
  const known = new Map(Object.entries(HINT_WORDS));
  const given: Hint[] = hints === null ? [] : JSON.parse(hints);
  const words = given.flatMap((hint) => known.get(hint) ?? []);
  return words.length === 0 ? "" : `${visibleLine(server)} says of it: ${words.join(", and ")}.`;
}

/** What a client showed of arguments is a text of its own, and read as one. */
function givenIn({ arguments: text, covers }: Asked): string {
  const given = JSON.parse(text);
  return covers === "preview" && typeof given.preview === "string" ? given.preview : readableJson(given);
}

const COVERED: Record<Covers, string> = {
  arguments:
    "You decide about the tool and all its arguments; what is in files and programs that they name is not covered.",
  preview: "You decide about what is shown here: its client does not hand on all arguments.",
};
/** Its own program has a token by which the hub is asked to do it. */
const ASKS_AGAIN = " When it calls the hub with all of them, you are asked again where the policy says so.";
const RUN_BY: Record<Executes, string> = {
  runtime: "The hub hands out exactly this, once.",
  client: "Its own program runs it; the first answer counts, here or at its terminal.",
  hub: "The hub runs exactly this, once, when the agent's program calls it again.",
};

// "Every agent may not" would leave open whether some may.
const mayNot = (agent?: string): string => (agent === undefined ? "No agent may use" : `${agent} may not use`);
/** Of whom a rule names, or of whoever. */
const MAY: Record<Ruling, (agent?: string) => string> = {
  allow: (agent = "Every agent") => `${agent} may use`,
  ask: (agent = "Every agent") => `${agent} has to ask before it uses`,
  deny_continue: mayNot,
  deny_abort: mayNot,
};

const SUSPECTED: Record<Suspicion, string> = {
  writes: " that is not said to read only",
  destructive: " that is said to delete or overwrite things",
  open_world: " that is said to reach beyond its server",
};

/** A rule as a sentence. */
export function ruleWords(rule: Rule): string {
  const { tool, server, mount, agent, hint, when = {}, decision, risk, reason, expires_at } = rule;
  const what = `${tool === ANY_TOOL ? "any tool" : tool}${server === undefined ? "" : ` of ${server}`}`;
  const conditions = [
    ...(mount === undefined ? [] : [`${server ?? "its server"} is the program ${mount.slice(0, SHOWN_OF_MOUNT)}`]),
    ...Object.entries(when).map(([path, predicate]) => condition(path, predicate)),
  ];
  const parts = [
    `${MAY[decision](agent)} ${what}`,
    hint === undefined ? "" : SUSPECTED[hint],
    decision === "allow" ? " without asking" : "",
    conditions.length > 0 ? `, where ${conditions.join(" and ")}` : "",
    risk === undefined ? "" : `, and it is of ${risk} risk`,
    decision === "deny_abort" ? "; to try ends its turn" : "",
    expires_at === undefined ? "" : `, until ${expires_at.slice(0, 16).replace("T", " ")} UTC`,
    reason ? ` (${reason.replace(/\.$/, "")})` : "",
  ];
  return visibleLine(`${parts.join("")}.`);
}

function condition(path: string, predicate: Predicate): string {
  const what = path === "" ? "all that it is given" : path;
  if (typeof predicate !== "object" || predicate === null) return `${what} is ${JSON.stringify(predicate)}`;
  if ("in" in predicate) return `${what} is one of ${predicate.in.map((one) => JSON.stringify(one)).join(", ")}`;
  if ("is" in predicate) return `${what} is exactly ${JSON.stringify(predicate.is)}`;
  if ("prefix" in predicate) return `${what} begins with ${JSON.stringify(predicate.prefix)}`;
  return `${what} looks like ${JSON.stringify(predicate.glob)}`;
}

const DEFAULTS: Record<Ruling, string> = {
  allow: "Everything else is allowed.",
  ask: "Everything else is asked about.",
  deny_continue: "Everything else is denied.",
  deny_abort: "Everything else is denied, and ends the turn.",
};

export const documentWords = ({ rules, default: fallback }: PolicyDocument): string[] => [
  ...rules.map(ruleWords),
  DEFAULTS[fallback],
];
