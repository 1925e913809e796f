/**
 * The phases of an orchestrator, one after another, with a pause wherever the hub says that people are to be asked. Where
 * the workflow stands and what it waits for is in the hub: a program that was killed is replaced by another one, which
 * skips the phases that were finished, waits at the same checkpoint and goes on from there. A space is one workflow.
 */
import type { ToolTypes } from "../modules/index.ts";
import { Backoff, Pause } from "./backoff.ts";
import { type Client, newKey } from "./client.ts";
import { HubError } from "./errors.ts";

type Check = ToolTypes["workflow_check"]["input"];
type Checked = ToolTypes["workflow_check"]["output"];
type Waited = ToolTypes["checkpoint_wait"]["output"];
/** What became of a question. */
export type Outcome = Waited["answers"][number];

export interface Paused {
  checkpoint_id: string;
  reason: string;
  questions: Checked["questions"];
}

export interface Resumed {
  checkpoint_id: string;
  /** `withdrawn` where everything it waited for was taken back. */
  state: string;
  answers: Outcome[];
}

export interface WorkflowOptions {
  /** In the order in which they are run. */
  phases: readonly string[];
  /** People are asked now. Told by each program that waits. */
  onPause?: (paused: Paused) => void;
  onResume?: (resumed: Resumed) => void;
  /** How long one request waits. */
  wait_seconds?: number;
}

/** The phase that a workflow is in when the work of all of its own is done. */
const DONE = "done";

export class Workflow {
  readonly #client: Client;
  readonly #options: WorkflowOptions;
  /** What came of the questions this program waited for, by their ids. */
  readonly answers = new Map<string, Outcome>();
  #next = 0;

  /** Finds out where the workflow stands, and waits there if it is paused. */
  static async open(client: Client, options: WorkflowOptions): Promise<Workflow> {
    const flow = new Workflow(client, options);
    const { phase } = await flow.#pass({});
    const at = phase === DONE ? options.phases.length : options.phases.indexOf(phase ?? "");
    flow.#next = Math.max(0, at);
    return flow;
  }

  private constructor(client: Client, options: WorkflowOptions) {
    this.#client = client;
    this.#options = options;
  }

  /**
   * Runs `work` unless this phase was finished before, with a pause before it where there is one to be made, and after it
   * if there are questions or what it returns asks for people. Gives whether it ran. One whose work a program was killed
   * in is run again; one after whose work it was killed while people are asked is not.
   */
  async phase(name: string, work: () => Promise<unknown>): Promise<boolean> {
    const at = this.#options.phases.indexOf(name);
    if (at < 0) throw new Error(`${name} is none of the phases of this workflow`);
    if (at < this.#next) return false;
    await this.#pass({ phase: name });
    const output = await work();
    // That it is over is noted with the pause, so that whoever takes over meanwhile asks nobody anything twice.
    const next = this.#options.phases[at + 1] ?? DONE;
    await this.#pass({ phase: next, ...(typeof output === "string" && { output }) });
    this.#next = at + 1;
    return true;
  }

  /** Pauses here if there is a reason to, such as what an agent has just said. */
  async check(output?: string): Promise<void> {
    await this.#pass(output === undefined ? {} : { output });
  }

  /** All phases are over, also those that were left out: another program that comes finds nothing to do. */
  async finish(): Promise<void> {
    await this.#pass({ phase: DONE });
    this.#next = this.#options.phases.length;
  }

  async #pass({ output, ...asked }: Check): Promise<Checked> {
    let checked = await this.#client.call(
      "workflow_check",
      { ...asked, ...(output !== undefined && { output }) },
      key(),
    );
    while (checked.pause) {
      await this.#wait(checked);
      // What was said has been dealt with; other questions may have come meanwhile.
      checked = await this.#client.call("workflow_check", asked, key());
    }
    return checked;
  }

  async #wait({ checkpoint_id = "", reason = "immediate", questions }: Checked): Promise<void> {
    const { onPause, onResume, wait_seconds = 45 } = this.#options;
    onPause?.({ checkpoint_id, reason, questions });
    const backoff = new Backoff(this.#client.pace);
    for (;;)
      try {
        const { state, answers } = await this.#client.call("checkpoint_wait", { checkpoint_id, wait_seconds });
        backoff.reset();
        if (state === "waiting") continue;
        for (const outcome of answers) this.answers.set(outcome.question_id, outcome);
        onResume?.({ checkpoint_id, state, answers });
        return;
      } catch (error) {
        // The hub may be away for as long as it likes: the checkpoint is there when it comes back.
        if (this.#client.disposed || !(error instanceof HubError && error.passing)) throw error;
        await new Pause().for(backoff.next());
      }
  }
}

/** Done once, however often it is tried, and however long the hub is away. */
const key = () => ({ key: newKey(), patience_ms: Number.POSITIVE_INFINITY });

export const openWorkflow = (client: Client, options: WorkflowOptions): Promise<Workflow> =>
  Workflow.open(client, options);
