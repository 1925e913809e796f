/**
 * A process that attacks a hub over real sockets, so that neither the hub nor whoever measures it shares its event loop.
 * It attacks between `go` and `rest`, and says after each order what has come of it.
 */
import { connect, type Socket } from "node:net";
import { setPriority } from "node:os";
import { setTimeout } from "node:timers/promises";

export interface Attack {
  port: number;
  connections: number;
  /** What connections send, by turns. `#` in them is a number that is another one each time. */
  requests: readonly string[];
  /**
   * `repeat` asks again as soon as it was answered. `unread` asks and reads nothing. `trickle` sends a byte now and then
   * and never comes to an end. Connections that the hub closes are opened again.
   */
  how: "repeat" | "unread" | "trickle";
}

/** What has come of it so far: answers by their status, and connections that the hub closed. */
export interface Came {
  answers: Record<number, number>;
  closed: number;
}

export type Order = { attack: Attack } | "go" | "rest" | "tell";

const AGAIN_MS = 50;
/** Connections are opened a few at a time: it is what they do that is measured. */
const OPENED_AT_ONCE = 20;
const OPENED_MS = 10;
const TRICKLE_MS = 200;
const UNREAD_MS = 9000;
/** Most attackers have a machine of their own: this one leaves some of it to those whom it attacks. */
const NICE = 5;

setPriority(NICE);
process.on("disconnect", () => process.exit());

class Attacker {
  readonly #attack: Attack;
  readonly #open = new Set<Socket>();
  readonly #came: Came = { answers: {}, closed: 0 };
  #resting = true;
  #sent = 0;

  constructor(attack: Attack) {
    this.#attack = attack;
  }

  get came(): Came {
    return this.#came;
  }

  async go(): Promise<void> {
    this.#resting = false;
    for (let n = 0; n < this.#attack.connections; n += 1) {
      this.#connect();
      if (n % OPENED_AT_ONCE === 0) await setTimeout(OPENED_MS);
    }
  }

  rest(): void {
    this.#resting = true;
    for (const socket of this.#open) socket.destroy();
  }

  #connect(): void {
    if (this.#resting) return;
    const socket = connect(this.#attack.port, "127.0.0.1");
    this.#open.add(socket);
    // How it ended is told by `close`.
    socket.on("error", () => {});
    socket.on("connect", () => this.#act(socket));
    socket.on("close", () => {
      this.#open.delete(socket);
      if (this.#resting) return;
      this.#came.closed += 1;
      void setTimeout(AGAIN_MS).then(() => this.#connect());
    });
  }

  #act(socket: Socket): void {
    const { how } = this.#attack;
    socket.write(this.#next());
    if (how === "unread") return void this.#leaveUnread(socket);
    socket.on("data", (bytes) => {
      const statuses = [...bytes.toString("latin1").matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) =>
        Number(status),
      );
      for (const status of statuses) this.#came.answers[status] = (this.#came.answers[status] ?? 0) + 1;
      if (how === "repeat" && statuses.length > 0) socket.write(this.#next());
    });
    if (how !== "trickle") return;
    const timer = setInterval(() => socket.write("x"), TRICKLE_MS);
    socket.on("close", () => clearInterval(timer));
  }

  /** Whether it was closed shows only when it is read from again. */
  async #leaveUnread(socket: Socket): Promise<void> {
    socket.pause();
    await setTimeout(UNREAD_MS);
    socket.resume();
  }

  #next(): string {
    const { requests } = this.#attack;
    this.#sent += 1;
    // As many digits each time: the length of the body has been said.
    return (requests[this.#sent % requests.length] ?? "").replaceAll("#", String(1e8 + this.#sent));
  }
}

let attacker: Attacker | undefined;
// Nobody else has this channel.
process.on("message", (order) => void obey(order as Order));

async function obey(order: Order): Promise<void> {
  if (typeof order === "object") attacker = new Attacker(order.attack);
  else if (order === "go") await attacker?.go();
  else if (order === "rest") attacker?.rest();
  process.send?.(attacker?.came);
}
