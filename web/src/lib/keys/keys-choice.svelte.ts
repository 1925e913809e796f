import { keep, onKept, recall } from "#lib/hub/kept.ts";

/** Whether single keys do something. For some they are pressed by accident, or taken by what reads the page aloud. */
export class KeysChoice {
  on = $state(recall("keys") !== "off");

  choose(on: boolean): void {
    keep("keys", on ? null : "off");
    this.on = on;
  }

  /** Returns the way to stop. */
  follow(): () => void {
    return onKept((name, value) => {
      if (name === "keys") this.on = value !== "off";
    });
  }
}
