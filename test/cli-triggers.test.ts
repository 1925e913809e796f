/** Triggers at the command line. */
import { expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

test("a trigger is made, tried, fired, stopped, looked back at and deleted by commands", async () => {
  await using ground = new Ground({ in_process: true });
  await ground.host();
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await ground.parley([...args, "--format", "text"]);
    return code === 0 ? stdout.trim() : `${code} ${stderr.trim()}`;
  };
  const nightly = [
    "trigger",
    "add",
    "nightly",
    "--type",
    "cron",
    "--schedule",
    "0 3 * * *",
    "--prompt",
    "Check {{payload.what}}.",
  ];
  expect(await said(...nightly)).toMatch(/^Trigger nightly is there\. It fires next (?:in |tomorrow |\d).+\.$/);
  expect(await said("trigger", "add", "bad", "--type", "cron", "--schedule", "99 99 * * *")).toMatch(
    /^2 .*Invalid cron schedule/s,
  );
  expect(await said("trigger", "add", "bad", "--type", "webhook", "--webhook-secret", "short")).toBe(
    "2 parley: a webhook secret has 8 to 256 characters.",
  );
  expect(await said("trigger", "add", "_bad", "--type", "manual")).toMatch(/and begins with a letter or a digit\.$/);
  const help = await said("help", "trigger", "add");
  for (const option of ["--type cron|webhook|manual", "--missed skip|once|all", "--overlap skip|queue|allow"])
    expect(help).toContain(`  ${option} `);
  expect(await said("trigger", "runs")).toBe("Nothing has fired.");
  expect(await said("trigger", "list")).toMatch(/nightly +cron +0 3 \* \* \*/);
  // What it says has lines, and is read as such.
  const tried = await said("trigger", "test", "nightly", "--payload", '{"what":"it"}');
  expect(tried).toMatch(/^fires +yes\nbecomes +task\n/);
  expect(tried).toMatch(/\nprompt:\n {2}What stands between .*\n *\n {2}Check <untrusted-content-[0-9a-f]+>it</);
  expect(await said("trigger", "run", "nightly", "--payload", '{"what":"it"}')).toMatch(
    /^Fired nightly \(\d+\)\. Task \d+ waits for a worker\.$/,
  );
  await said("trigger", "edit", "nightly", "--overlap", "skip");
  expect(await said("trigger", "run", "nightly")).toMatch(
    /^Skipped nightly \(\d+\): overlap: run \d+ was still going on\.$/,
  );
  expect(await said("trigger", "disable", "nightly")).toBe("Trigger nightly fires no more.");
  expect(await said("trigger", "run", "nightly")).toMatch(/^5 .*is disabled/s);
  expect(await said("trigger", "enable", "nightly")).toMatch(/^Trigger nightly fires from now on\. Next: .+\.$/);
  expect(await said("trigger", "edit", "nightly", "--timezone", "Europe/Berlin")).toMatch(
    /^Trigger nightly is changed\. It fires next .+\.$/,
  );
  expect(await said("trigger", "edit", "nightly")).toMatch(/^2 .*No fields to update/s);
  expect(await said("trigger", "runs", "nightly")).toMatch(
    /^id +trigger +fired +source .*\n\d+ +nightly +just now +manual +skipped .*\n\d+ +nightly +just now +manual +pending/,
  );
  const { tasks } = await ground.json<{ tasks: { sender: string }[] }>(["call", "task_list"]);
  expect(tasks).toMatchObject([{ sender: "trigger:nightly" }]);
  const github = (await said("trigger", "add", "github", "--type", "webhook")).split("\n");
  expect(github).toEqual([
    "Trigger github is there.",
    expect.stringMatching(/^Whatever is posted to http:\S+\/api\/webhook\/github fires it\. Try it:$/),
    expect.stringMatching(
      /^ {2}curl -X POST http:\S+\/api\/webhook\/github -H 'Content-Type: application\/json' -d '.+'$/,
    ),
    expect.stringMatching(/^Give it a secret: \S+ trigger rotate github --home \S+$/),
  ]);
  const shown = await said("trigger", "show", "github");
  expect(shown).toMatch(/^name +github\ntype +webhook\nenabled +yes\n/);
  expect(shown).toMatch(/\nhint:\n {2}curl -X POST /);
  expect(shown).not.toContain('{"name"');
  const { trigger } = await ground.json<{ trigger: object }>(["call", "trigger_get", '{"name":"github"}']);
  expect(trigger).toMatchObject({ query_secret: false });
  for (const [typed, query_secret] of [
    ["yes", true],
    ["no", false],
  ] as const) {
    expect(await said("trigger", "edit", "github", "--query-secret", typed)).toBe("Trigger github is changed.");
    const { trigger } = await ground.json<{ trigger: object }>(["call", "trigger_get", '{"name":"github"}']);
    expect(trigger).toMatchObject({ query_secret });
    // What is not typed stays as it is.
    expect(await said("trigger", "edit", "github", "--description", typed)).toBe("Trigger github is changed.");
  }
  expect(await said("trigger", "edit", "github", "--query-secret", "maybe")).toMatch(/^2 .*takes yes, no/s);
  expect(await said("trigger", "rotate", "github")).toMatch(/shown this once: whsec_/);
  expect(await said("trigger", "show", "github")).toMatch(/\/api\/webhook\/github/);
  expect(await said("trigger", "delete", "nightly", "--yes")).toBe("Deleted nightly.");
  for (const [command = "", ...more] of [
    ["show"],
    ["run"],
    ["test"],
    ["enable"],
    ["disable"],
    ["edit", "--channel", "web"],
  ])
    expect([command, await said("trigger", command, "nightly", ...more)]).toEqual([
      command,
      expect.stringMatching(/^4 parley: Trigger 'nightly' not found\. See them all: \S+ trigger list --home \S+$/),
    ]);
  expect(await said("trigger", "delete", "nightly")).toMatch(
    /^4 parley: There is no trigger "nightly"\. See them all: /,
  );
  expect(await said("trigger", "runs", "nihgtly")).toMatch(
    /^Nothing of nihgtly has fired\. See them all: \S+ trigger list /,
  );
  expect(await said("trigger", "runs", "nightly")).toMatch(/ nightly +/);
  for (const command of ["show", "run", "test", "enable", "disable", "edit", "rotate", "runs", "delete"])
    expect([command, await ground.json(["complete", "--", "trigger", command, "git"])]).toEqual([
      command,
      { candidates: ["github"] },
    ]);
});
