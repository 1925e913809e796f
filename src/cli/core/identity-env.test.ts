import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";

/** In a process of its own: what waits for a pipe waits for ever, and nothing in that process can end it. */
function branchIn(folder: string): unknown {
  const module = JSON.stringify(new URL("identity-env.ts", import.meta.url).href);
  const program = `const { branchOf } = await import(${module}); console.log(JSON.stringify(branchOf(process.argv[1])));`;
  const { status, stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program, folder], {
    timeout: 60_000,
    killSignal: "SIGKILL",
    encoding: "utf8",
  });
  return status === 0 ? JSON.parse(stdout) : "it did not end";
}

test("a pipe in the place of what git writes is not waited for, whoever put it there", () => {
  const folder = mkdtempSync(join(tmpdir(), "parley-git-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, ".git"));
  execFileSync("mkfifo", [join(folder, ".git", "HEAD")]);
  expect(branchIn(folder)).toBe(null);

  rmSync(join(folder, ".git"), { recursive: true });
  execFileSync("mkfifo", [join(folder, ".git")]);
  expect(branchIn(folder)).toBe(null);

  rmSync(join(folder, ".git"));
  mkdirSync(join(folder, ".git"));
  writeFileSync(join(folder, ".git", "HEAD"), "ref: refs/heads/main\n");
  expect(branchIn(folder)).toBe("main");
});
