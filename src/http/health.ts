import { accessSync, constants, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { type Actor, has } from "../context.ts";
import { MAIN_SPACE } from "../db/open.ts";
import { oldestSnapshot } from "../db/snapshots.ts";
import { ParleyError } from "../errors.ts";
import type { Hub } from "../hub.ts";
import { answer } from "./answer.ts";
import type { Guard } from "./guard.ts";
import type { Request, Route } from "./router.ts";

/** With less than this free the next checkpoint may fail. */
const LEAST_FREE_BYTES = 1024 * 1024;

const STATUS = z.object({ status: z.string() });

/** Whether the process lives, whether it can be trusted with a write, and figures for those who watch it. */
export function healthRoutes(hub: Hub, guard: Guard, stopping: () => boolean): Route[] {
  return [
    {
      method: "GET",
      path: "/livez",
      about: { summary: "Whether the process lives", response: STATUS },
      open: ({ response }) => answer(response, { status: "alive" }),
    },
    {
      method: "GET",
      path: "/readyz",
      about: {
        summary: "Whether it can be trusted with a write; with ?verbose and a token, why not",
        query: { verbose: "Also the version, the database and each check." },
        response: STATUS,
      },
      open: (request) => ready(hub, guard, request, stopping()),
    },
    {
      method: "GET",
      path: "/metrics",
      about: { summary: "Figures, for admin and observer", media: "text/plain" },
      handle: async ({ response }, actor) => {
        hub.limit.take(actor.principal_id);
        if (!mayWatch(actor)) throw new ParleyError("FORBIDDEN", "/metrics is for admin and observer.");
        const text = await hub.metrics.text();
        response.writeHead(200, { "content-type": hub.metrics.registry.contentType }).end(text);
      },
    },
  ];
}

/** The figures are the whole hub's: not for who looks after one space of it. */
const mayWatch = (actor: Actor): boolean =>
  has(actor, "admin") || (has(actor, "observer") && actor.space_id === MAIN_SPACE);

async function ready(hub: Hub, guard: Guard, { request, response, query }: Request, stopping: boolean): Promise<void> {
  const checks = checkAll(hub, stopping);
  const ok = Object.values(checks).every((state) => state === "ok");
  const status = ok ? "ready" : "not ready";
  if (query.has("verbose")) {
    await hub.credentials.authenticate(guard.credential(request));
    const { backend, epoch } = hub.database;
    const about = { status, version: hub.version, backend, epoch, durability: "full", checks };
    // Of a database that is out of reach it is not known.
    const oldest_snapshot_seconds = ok ? Math.round(await oldestSnapshot(hub.database)) : null;
    const wake_folder = checkWakeFolder(hub.config.wake_dir);
    await answer(response, { ...about, oldest_snapshot_seconds, wake_folder }, ok ? 200 : 503);
  } else await answer(response, { status }, ok ? 200 : 503);
}

function checkAll(hub: Hub, stopping: boolean): Record<string, string> {
  const health = hub.database.health();
  return {
    hub: stopping ? "it is stopping." : "ok",
    database: health.state === "ready" ? "ok" : health.reason,
    disk: checkDisk(hub.config.home),
  };
}

function checkDisk(folder: string): string {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize > LEAST_FREE_BYTES ? "ok" : "the disk is full.";
  } catch (error) {
    return `the data folder is gone: ${(error as Error).message}.`;
  }
}

/** Nothing is lost where it cannot be written to, and whoever watches it is not woken. Where there is none it is made when needed. */
function checkWakeFolder(folder: string): string {
  try {
    if (!statSync(folder).isDirectory()) return "it is no folder.";
    accessSync(folder, constants.W_OK | constants.X_OK);
    return "ok";
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" && dirname(folder) !== folder) return checkWakeFolder(dirname(folder));
    return `it cannot be written to: ${code ?? message}.`;
  }
}
