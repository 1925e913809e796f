/** Whoever takes messages in is killed where it matters, in the hub's process and over HTTP: each is in the log once. */
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { COMPILED } from "../src/testing/compiled.ts";
import { type Caller, callUntilKnown } from "../src/testing/crowd.ts";
import type { DatabaseName } from "../src/testing/databases.ts";
import { type Child, exited, until } from "../src/testing/process.ts";
import { eachDatabaseOfHubs, Restarts } from "../src/testing/restarts.ts";

const CONSUMER = fileURLToPath(new URL("../src/testing/consumer.ts", import.meta.url));
const POINTS = ["consumer.after_inject", "consumer.after_watermark", "post.after_commit"];
const KILLED = { code: null, signal: "SIGKILL" };

interface Line {
  url?: string;
  came?: string;
}

/** A consumer in a process of its own. */
class Program {
  readonly lines: Line[] = [];
  readonly child: Child;

  constructor(restarts: Restarts, args: readonly string[], env: Record<string, string>) {
    const own = { ...restarts.ground.env(), ...restarts.database, PARLEY_LOG: "error", ...COMPILED, ...env };
    const program = ["--disable-warning=ExperimentalWarning", CONSUMER, ...args];
    this.child = restarts.ground.watch(spawn(process.execPath, program, { env: own, stdio: ["pipe", "pipe", "pipe"] }));
    createInterface({ input: this.child.stdout }).on("line", (line) => this.lines.push(JSON.parse(line)));
    this.child.stderr.resume();
  }

  get came(): string[] {
    return this.lines.flatMap(({ came }) => came ?? []);
  }

  get dead(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async ended(): Promise<{ code: number | null; signal: NodeJS.Signals | null }> {
    const { child } = this;
    await exited(child);
    return { code: child.exitCode, signal: child.signalCode };
  }

  async kill(): Promise<void> {
    this.child.kill("SIGKILL");
    await this.ended();
  }
}

/** Says one thing after the other, and goes on while there is nobody to say it to. */
class Speaker {
  readonly said: string[] = [];
  readonly #caller: Caller;

  constructor(caller: Caller) {
    this.#caller = caller;
  }

  async say(content: string): Promise<void> {
    const { status } = await callUntilKnown(this.#caller, "chat_human_post", { content, agent: "scout" }, content);
    expect([content, status]).toEqual([content, 200]);
    this.said.push(content);
  }

  /** One after the other, each once the last has come in, until somebody on the way is dead; and one more. */
  async sayUntil(topic: string, { came, dead }: { came: () => string[]; dead: () => boolean }): Promise<void> {
    for (let n = 0; !dead() && n < 50; n += 1) {
      await this.say(`${topic} ${n}`);
      await until(() => dead() || came().at(-1) === this.said.at(-1));
    }
    await this.say(`${topic} and on`);
  }
}

const injected = async (scout: Caller): Promise<string[]> => {
  const { body } = await callUntilKnown(scout, "runtime_log", { limit: 500 });
  return body.events.map(({ type, content }: { type: string; content: string }) => `${type} ${content}`);
};

const asLogged = (said: readonly string[]): string[] => said.map((content) => `UserText ${content}`);

async function begin(database: DatabaseName): Promise<{ restarts: Restarts; ana: Caller; scout: Caller }> {
  const restarts = await Restarts.on(database);
  await restarts.start();
  return { restarts, ana: await restarts.token("human", "ana"), scout: await restarts.token("agent", "scout") };
}

eachDatabaseOfHubs((database) => {
  test("CRASH-1 and G8: killed in the hub's own process at any point of the way, every message is injected exactly once and in order", async () => {
    const { restarts, ana, scout } = await begin(database);
    await using _ = restarts;
    const port = new URL(restarts.hub.url).port;
    await restarts.hub.kill("SIGTERM");
    const speaker = new Speaker(ana);
    for (const point of POINTS) {
      const program = new Program(restarts, ["in-hub"], { PARLEY_PORT: port, PARLEY_FAILPOINT: `${point}:kill:4` });
      // It dies on the way, and says so to nobody: whoever speaks goes on when there is a hub again.
      const speaking = speaker.sayUntil(point, { came: () => program.came, dead: () => program.dead });
      expect([point, await program.ended()]).toEqual([point, KILLED]);
      const next = new Program(restarts, ["in-hub"], { PARLEY_PORT: port });
      await speaking;
      await until(() => next.came.at(-1) === speaker.said.at(-1));
      expect([point, await injected(scout)]).toEqual([point, asLogged(speaker.said)]);
      // No turn has taken any of them: the next runtime is given all, each once.
      expect([point, next.came]).toEqual([point, speaker.said]);
      await next.kill();
    }
  });

  test("CRASH-1, RUN-12 and G8: the hub is killed under a runtime elsewhere, which goes on by itself: every message once and in order", async () => {
    const { restarts, ana, scout } = await begin(database);
    await using _ = restarts;
    const program = new Program(restarts, ["http", restarts.hub.url, scout.token], {});
    const speaker = new Speaker(ana);
    await speaker.say("first");
    await until(() => program.came.length === 1);
    await restarts.hub.kill("SIGTERM");
    for (const point of POINTS) {
      const { child } = await restarts.start({ PARLEY_FAILPOINT: `${point}:kill:3` });
      const dead = (): boolean => child.exitCode !== null || child.signalCode !== null;
      const speaking = speaker.sayUntil(point, { came: () => program.came, dead });
      expect([point, await restarts.ended()]).toEqual([point, KILLED]);
      await restarts.start();
      await speaking;
      await until(() => program.came.at(-1) === speaker.said.at(-1));
      expect([point, program.came]).toEqual([point, speaker.said]);
      expect([point, await injected(scout)]).toEqual([point, asLogged(speaker.said)]);
      await restarts.hub.kill("SIGTERM");
    }
  });

  test("CRASH-1 and CRASH-2: the runtime elsewhere is killed once it has what came, or before it has: the next one is given it, and what came while it was down", async () => {
    const { restarts, ana, scout } = await begin(database);
    await using _ = restarts;
    const speaker = new Speaker(ana);
    for (const point of ["consumer.after_inject@runtime", "consumer.after_watermark@runtime"]) {
      const args = ["http", restarts.hub.url, scout.token];
      const program = new Program(restarts, args, { PARLEY_FAILPOINT: `${point}:kill:2` });
      await speaker.sayUntil(point, { came: () => program.came, dead: () => program.dead });
      expect([point, await program.ended()]).toEqual([point, KILLED]);
      await speaker.say(`${point} while it was down`);
      const next = new Program(restarts, args, {});
      await until(() => next.came.at(-1) === speaker.said.at(-1));
      expect([point, next.came]).toEqual([point, speaker.said]);
      expect([point, await injected(scout)]).toEqual([point, asLogged(speaker.said)]);
      await next.kill();
    }
  });
});
