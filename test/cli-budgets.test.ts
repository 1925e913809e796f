/** Budgets and quotas at the command line. */
import { expect, test } from "vitest";
import { Ground } from "../src/testing/process.ts";

test("budgets are set, listed and taken away, and an account is held and let go, by commands", async () => {
  await using ground = new Ground({ in_process: true });
  await ground.host();
  const said = async (...args: string[]) => {
    const { code, stdout, stderr } = await ground.parley([...args, "--format", "text"]);
    return code === 0 ? stdout.trim() : `${code} ${stderr.trim()}`;
  };
  expect(await said("budget", "list")).toBe("There is no budget.");
  expect(await said("budget", "set", "space", "--tasks", "200", "--cost-usd", "2.5")).toMatch(
    /^scope +space\nper day +tasks 200, cost \$2\.50\n/,
  );
  expect(await said("budget", "set", "account", "team", "--cost-usd", "0.004")).toMatch(
    /^scope +account\nname +team\nper day +cost \$0\.004\nused +tasks 0, runs 0, cost \$0\.00$/,
  );
  await said("budget", "set", "account", "team");
  expect(await said("budget", "set", "agent", "scout", "--runs", "20")).toMatch(/^scope +agent\nname +scout\n/);
  const { budgets } = await ground.json<{ budgets: object[] }>(["budget", "list"]);
  expect(budgets).toMatchObject([
    { scope: "agent", name: "scout", per_day: { runs: 20 } },
    { scope: "space", name: "", per_day: { tasks: 200, cost_usd: 2.5 } },
  ]);
  expect(await said("budget", "list")).toMatch(/^scope +name +per.day +used.*\nagent +scout +runs 20 /);
  for (const cost of ["much", "-1", "1e3", ""])
    expect(await said("budget", "set", "space", `--cost-usd=${cost}`)).toMatch(/^2 .*--cost-usd takes a number/s);
  expect(await said("budget", "set", "agent", "--runs", "20")).toMatch(/^2 .*name the agent or account/s);
  await said("budget", "set", "space");
  await said("budget", "set", "agent", "scout");
  expect(await said("budget", "list")).toBe("There is no budget.");

  expect(await said("throttle", "set", "team", "--until", "2h")).toMatch(/^Tasks of team are held until .+\.$/);
  expect(await said("throttle", "set", "team")).toBe("Tasks of team are held no longer.");
  expect(await said("throttle", "set", "--off")).toBe(
    "What workers say of the quota of default is ignored from now on.",
  );
});
