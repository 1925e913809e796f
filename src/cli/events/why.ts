import type { Why } from "../../modules/events/index.ts";
import { visibleLine } from "../../visible.ts";
import { ACTING_OPTIONS } from "../core/acting.ts";
import { callAs } from "../core/call-as.ts";
import type { Cli } from "../core/cli.ts";
import { defineCommand } from "../core/command.ts";
import { indented } from "../core/whole-text.ts";
import { mailId } from "../mail/ids.ts";

type Step = Why["led_to"][number];

export const why = defineCommand({
  examples: ["why 1760000000000000", "why latest"],
  details: "What led to it, step by step back to the first thing, and what it led to itself: as far as you may see it.",
  positionals: {
    id: { required: true, description: "of a message, a mail, a notice or an event; of a mail as short as names one" },
  },
  options: ACTING_OPTIONS,
  async run(cli, { id, ...as }) {
    const found = await callAs(cli, as, "event_why", { id: await mailId(cli, as, id) });
    await cli.out.result(
      found,
      () => shown(cli, found),
      found.steps.flatMap((step) => (step.id === null ? [] : [step.id])),
    );
  },
});

const HOW = {
  declared: "Because of, as was said:",
  credential: "In the run of:",
  reply: "In answer to:",
  reaction: "The hub did so because of:",
};

const END = {
  first: "Nothing is known to have led to that.",
  gone: "What led to that is no longer kept.",
  more: "Something led to that too, which is not shown.",
};

export function shown(cli: Cli, { steps, end, led_to }: Why): string {
  const last = steps.at(-1)?.id;
  const further = end === "more" && last ? [`Go on from there: ${cli.line(`why ${last}`)}`] : [];
  return [
    ...steps.flatMap((step, at) => [lineOf(cli, step), ...(step.how && at < steps.length - 1 ? [HOW[step.how]] : [])]),
    END[end],
    ...further,
    ...(led_to.length > 0 ? ["", "It led to:", ...led_to.map((step) => lineOf(cli, step))] : []),
  ].join("\n");
}

function lineOf({ out }: Cli, { id, at, kind, by, text }: Step): string {
  const about = id && at ? [id, kind, by ? `from ${by}` : "from the hub", out.time(at)].join("  ") : "";
  const parts = [about && out.dim(visibleLine(about)), text.trim() && indented(text)];
  return parts.filter((part) => part !== "").join("\n");
}
