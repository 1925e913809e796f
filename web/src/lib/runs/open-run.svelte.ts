import type { Hub } from "#lib/hub/hub.svelte.ts";
import { Followed } from "#lib/live/followed.svelte.ts";
import { newKey } from "$client/index.ts";
import { RUNS_URI } from "./runs.svelte.ts";
import type { RunDetails } from "./types.ts";
import { isLive } from "./words.ts";

/** Of what is printed nobody hints: while it runs it is asked for. */
const LOOK_MS = 1000;
/** As much of the output is kept here. */
const MOST_OUTPUT = 200_000;

/** One run, with what it prints while it does. */
export class OpenRun extends Followed {
  run = $state.raw<RunDetails>();
  output = $state("");
  /** Of what it printed before that, so much is not shown. */
  left_out = $state(0);
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #id: string;

  constructor(hub: Pick<Hub, "client">, id: string) {
    super(hub, { uris: [RUNS_URI] });
    this.#id = id;
  }

  override follow(): () => void {
    const stop = super.follow();
    return () => {
      stop();
      clearTimeout(this.#timer);
    };
  }

  async stop(): Promise<void> {
    await this.doing(this.hub.client.call("run_stop", { id: this.#id }, { key: newKey() }));
  }

  protected override async read(): Promise<void> {
    const known = this.run;
    const after = known?.output_bytes ?? 0;
    const run = await this.hub.client.call("run_show", { id: this.#id, after });
    if (known && run.output_attempt !== known.output_attempt) {
      // Another attempt prints: what is known is of the one before.
      this.run = undefined;
      return this.read();
    }
    const all = `${known ? this.output : ""}${run.output}`;
    this.output = all.slice(-MOST_OUTPUT);
    // A program that prints more between two looks than is kept leaves a gap.
    const gap = Math.max(0, run.output_bytes - after - bytesOf(run.output));
    this.left_out = (known ? this.left_out : 0) + gap + bytesOf(all) - bytesOf(this.output);
    this.run = run;
    clearTimeout(this.#timer);
    // What has not begun prints nothing, and that it begins is told.
    if (isLive(run) && run.state !== "queued" && this.followed)
      this.#timer = setTimeout(() => void this.refresh(), LOOK_MS);
  }
}

const bytesOf = (text: string): number => new TextEncoder().encode(text).length;
