/** What waits for a person in all their spaces: the lists of each, merged, and a number that is the length of that. */
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { eachDatabase, type TestHub } from "../../testing/hub.ts";
import { Raw } from "../../testing/mcp-raw.ts";

const START = Date.parse("2027-03-01T08:00:00Z");

interface Need {
  id: string;
  space?: string;
}
interface Needs {
  needs: Need[];
  count: number;
  next: string | null;
}

eachDatabase((open) => {
  const SPACES = ["main", "sess_one", "sess_two"];
  let hub: TestHub;
  let ana: string;
  let ben: string;
  const scouts = new Map<string, string>();
  let asked = 0;
  beforeEach(async () => {
    // A clock that stands: things of several spaces have the same ids.
    hub = await open({ now: START });
    for (const space of SPACES.slice(1)) await hub.call(hub.admin, "space_create", { id: space, ttl_seconds: 86_400 });
    for (const space of SPACES) scouts.set(space, await hub.token("agent", "scout", space));
    ana = await hub.token("human", "ana");
    await hub.token("human", "ana", "sess_one");
    ben = await hub.token("human", "ben");
    // Where he is an agent, nothing waits for him as a person.
    await hub.token("agent", "ben.agent", "sess_two");
  });

  const ask = async (space: string): Promise<Need> => {
    const notice = { key: `k${++asked}`, kind: "question", title: "May I?", choices: ["yes", "no"] };
    const { body } = await hub.call(scouts.get(space), "notice_raise", notice, { "x-session-id": space });
    return { id: body.id, space };
  };
  const write = async (space: string): Promise<Need> => {
    const mail = { to: ["ana"], subject: "s", body: "b", priority: "urgent" };
    const { body } = await hub.call(scouts.get(space), "mail_send", mail, { "x-session-id": space });
    return { id: body.id, space };
  };
  const needs = async (token: string, args: object, space = "main"): Promise<Needs> =>
    (await hub.call(token, "need_list", args, { "x-session-id": space })).body;
  const everywhere = (token: string, args: object = {}) => needs(token, { limit: 100, everywhere: true, ...args });
  const ids = ({ needs }: Needs) => needs.map(({ id, space }) => `${space} ${id}`);
  const inOrder = (all: readonly Need[]) =>
    [...all]
      .sort((a, b) => Number(b.id) - Number(a.id) || (a.space ?? "").localeCompare(b.space ?? ""))
      .map(({ id, space }) => `${space} ${id}`);

  test("the list has what waits in every space that the person may use, and says where", async () => {
    const made = [await ask("main"), await ask("sess_one"), await write("sess_one")];
    const foreign = await ask("sess_two");
    expect(ids(await everywhere(ana))).toEqual(inOrder(made));
    expect(ids(await everywhere(ben))).toEqual(inOrder(made.slice(0, 1)));
    expect(ids(await everywhere(hub.admin))).toEqual(inOrder([made[0], made[1], foreign].map((one) => one as Need)));
    expect((await needs(ana, {}, "sess_one")).needs.some((need) => "space" in need)).toBe(false);
    const { body } = await new Raw(hub.url, ana).call("need_list", { everywhere: true });
    expect(ids(body.result.structuredContent)).toEqual(inOrder(made));
  });

  test("a space that has ended is left out, and one in which a person is an agent only", async () => {
    const here = await ask("main");
    await ask("sess_one");
    await hub.call(hub.admin, "space_delete", { id: "sess_one" });
    expect(await everywhere(ana)).toMatchObject({ needs: [here], count: 1, next: null });
    expect((await everywhere(scouts.get("main") ?? "")) as unknown).toMatchObject({ code: "FORBIDDEN" });
  });

  test("whatever happens in which space, the number is the length of the list, and pages visit everything once", async () => {
    const step = fc.record({
      does: fc.constantFrom(ask, write),
      space: fc.constantFrom(...SPACES),
      answered: fc.boolean(),
    });
    const check = async (steps: { does: typeof ask; space: string; answered: boolean }[], limit: number) => {
      const open: Need[] = [];
      for (const { does, space, answered } of steps) {
        const made = await does(space);
        if (space === "sess_two") continue;
        const headers = { "x-session-id": space };
        if (answered) await hub.call(ana, "need_later", { id: made.id, until: "1h" }, headers);
        else open.push(made);
      }
      expect(await everywhere(ana)).toMatchObject({ count: open.length, next: null });
      const seen: string[] = [];
      for (let before: string | null = null; ; ) {
        const page = await everywhere(ana, { limit, ...(before && { before }) });
        expect(page.count).toBe(open.length);
        seen.push(...ids(page));
        before = page.next;
        if (!before) break;
      }
      expect(seen).toEqual(inOrder(open));
      for (const { id, space } of open)
        await hub.call(ana, "need_later", { id, until: "1h" }, { "x-session-id": space ?? "" });
      for (const { id, space } of open)
        await hub.call(scouts.get(space ?? ""), "notice_withdraw", { id }, { "x-session-id": space ?? "" });
    };
    const steps = fc.array(step, { minLength: 1, maxLength: 8 });
    await fc.assert(fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), check), { numRuns: 8 });
  });
});
