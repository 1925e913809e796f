/** The archive of a space, from the command line. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { Ground, until } from "../src/testing/process.ts";

test("parley space open makes what a space held readable again, and refuses what is no whole archive", async () => {
  await using ground = new Ground({ in_process: true });
  await ground.host();
  const space = ["--space", "sess_review"];
  await ground.json(["space", "create", "sess_review"]);
  await ground.json(["token", "create", "--role", "agent", "--name", "scout", ...space]);
  for (const said of ["first", "second"]) await ground.json(["chat", "send", "--agent", "scout", said, ...space]);
  await ground.json(["space", "delete", "sess_review", "--yes"]);
  const folder = join(ground.home, "archives");
  const name = await until(() => readIn(folder).find((name) => name.endsWith(".parley.gz")));
  const archive = join(folder, name);
  expect((await ground.parley(["chat", "read", "--agent", "scout", ...space])).code).toBe(4);

  const opened = await ground.json<{ space: string; was: string; rows: number }>([
    "space",
    "open",
    archive,
    "--ttl",
    "2h",
  ]);
  expect(opened).toMatchObject({ was: "sess_review", archive });
  const read = await ground.parley(["chat", "read", "--agent", "scout", "--space", opened.space]);
  expect(read.stdout).toContain("second");
  const { spaces } = await ground.json<{ spaces: { space: string }[] }>(["space", "list"]);
  expect(spaces.map(({ space }) => space)).toEqual(["main", opened.space]);

  const bytes = readFileSync(archive);
  const cases: [file: string, content: Buffer, sentence: RegExp][] = [
    ["cut", bytes.subarray(0, bytes.length - 20), /is damaged: it breaks off/],
    ["flipped", flipped(bytes), /is damaged|is no archive/],
    ["text", Buffer.from("hello"), /is no archive of a space/],
    ["other", gzipSync('{"hello":1}\n'), /is no archive of a space/],
    ["ended", gzipSync('{"parley_archive":1,"space":"main","ended_at":"x"}\n'), /its end is missing/],
    ["newer", gzipSync('{"parley_archive":2,"space":"main","ended_at":"x"}\n'), /written by another Parley/],
  ];
  for (const [file, content, sentence] of cases) {
    const path = join(ground.folder, file);
    writeFileSync(path, content);
    const { code, stderr } = await ground.parley(["space", "open", path]);
    expect([file, code, stderr]).toEqual([file, 2, expect.stringMatching(sentence)]);
  }
  expect((await ground.parley(["space", "open", join(ground.folder, "none")])).code).toBe(4);
  expect((await ground.json<{ spaces: object[] }>(["space", "list"])).spaces).toHaveLength(2);
});

const readIn = (folder: string): string[] => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes);
  const at = copy.length >> 1;
  copy[at] = (copy[at] ?? 0) ^ 0xff;
  return copy;
}
