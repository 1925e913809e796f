import { chat } from "#lib/chat/section.svelte.ts";
import { mail } from "#lib/mail/section.svelte.ts";
import { needs } from "#lib/needs/section.svelte.ts";
import { policy } from "#lib/policy/section.ts";
import { runs } from "#lib/runs/section.svelte.ts";
import type { Section } from "#lib/section.ts";
import { settings } from "#lib/settings/section.ts";
import { tasks } from "#lib/tasks/section.svelte.ts";
import { triggers } from "#lib/triggers/section.ts";
import { workspace } from "#lib/workspace/section.ts";

/** What the frame leads to, in its order. A new section is a folder in `lib/`, a route, and a line here. */
export const SECTIONS: readonly Section[] = [needs, chat, mail, workspace, tasks, triggers, runs, policy, settings];
