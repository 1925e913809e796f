import type { Component } from "svelte";
import type { Hub } from "#lib/hub/hub.svelte.ts";
import type { Command } from "#lib/keys/commands.svelte.ts";
import type { RouteId } from "$app/types";

/** What a section brings to every page, from when the frame is made. */
export interface Running {
  /** How much there is to look at: "3", "1000+", or nothing. */
  badge?: () => string;
  /** What the badge counts. */
  counts?: string;
  /** What it means that there is any. Plain where it is nothing to worry about. */
  tone?: "failed";
  /** How much of it waits for this person: the number in the title and on the icon is the sum of these. */
  attention?: () => number;
  /** What can be done or gone to there, for the palette and by its keys. */
  commands?: () => readonly Command[];
  /** What else the palette finds, read when it is opened: the things of this section by their names. */
  entries?: () => Promise<readonly Command[]>;
  /** For what was typed into the palette and is none of those. */
  find?: (text: string) => Command;
  /** Read when nobody waits. */
  load?: () => Promise<unknown>;
}

/** A part of the app. The frame knows sections by this alone. */
export interface Section {
  name: string;
  href: string;
  route: RouteId;
  icon: Component;
  /** Its page that has all of a phone for itself, with a way back of its own. */
  inner?: RouteId;
  /** What leads there, pressed one after the other. */
  keys?: readonly string[];
  /** Called while the frame is made, where contexts can be set, effects begun and a part of the glance added. */
  start?: (hub: Hub) => Running;
}
