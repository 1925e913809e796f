/** Stands before a server and passes on every byte a fixed time later, in both directions: a network between two machines. */
import { connect, createServer, type Socket } from "node:net";
import { answerBench } from "./answering.ts";

const target = Number(process.env.TARGET_PORT);
const DELAY_MS = Number(process.env.DELAY_MS) / 2;
/** Timers of Node count whole milliseconds: this sleeps by the tenth. */
const NAP_MS = 0.1;
const cell = new Int32Array(new SharedArrayBuffer(4));

interface Parcel {
  at: number;
  to: Socket;
  bytes: Buffer;
}

const parcels: Parcel[] = [];
let pumping = false;

function pass(from: Socket, to: Socket): void {
  from.setNoDelay(true);
  from.on("data", (bytes) => {
    parcels.push({ at: performance.now() + DELAY_MS, to, bytes });
    if (!pumping) setImmediate(pump);
    pumping = true;
  });
  from.on("error", () => to.destroy());
  from.on("close", () => to.destroy());
}

/** Sleeps so shortly that what arrives meanwhile is hardly late itself. */
function pump(): void {
  for (let [first] = parcels; first && first.at <= performance.now(); [first] = parcels) {
    parcels.shift();
    if (!first.to.destroyed) first.to.write(first.bytes);
  }
  pumping = parcels.length > 0;
  if (!pumping) return;
  Atomics.wait(cell, 0, 0, NAP_MS);
  setImmediate(pump);
}

const server = createServer((client) => {
  const upstream = connect(target, "127.0.0.1");
  pass(client, upstream);
  pass(upstream, client);
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("it listens on no port");
  answerBench({ port: address.port });
});
