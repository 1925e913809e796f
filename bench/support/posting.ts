import { Server } from "./child.ts";
import { Load } from "./load.ts";
import { interleaved, type Pair } from "./rounds.ts";
import { chatPost } from "./wire.ts";

const CONNECTIONS = 64;

/** What 64 connections that post do to the hub, against a bare `node:http` server that gets the same requests. */
export async function whilePosting(rounds: number, measure: (load: Load) => Promise<number>): Promise<Pair[]> {
  await using hub = await Server.start("hub");
  await using bare = await Server.start("bare");
  const token = await hub.ask<string>("token", { role: "human", name: "ana" });
  const posting = (server: Server): Load =>
    new Load(server, Array(CONNECTIONS).fill(chatPost({ port: server.port, token })));
  const [ours, reference] = [posting(hub), posting(bare)];
  return await interleaved(
    rounds,
    () => measure(ours),
    () => measure(reference),
  );
}
