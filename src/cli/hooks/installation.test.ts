import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { CLIENTS } from "./events.ts";
import { type Launch, wanted } from "./handlers.ts";
import { planInstall, planUninstall } from "./installation.ts";
import { ours } from "./settings-text.ts";

const LAUNCH: Launch = { parley: "/opt/it's here/bin/parley", options: ["--home", "/data/a b"], wake: true };
const OURS = wanted("claude", LAUNCH);

let folder: string;
let home: string;
let settings: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "parley-hooks-"));
  home = join(folder, "user", ".parley");
  settings = join(folder, "user", ".claude", "settings.json");
  mkdirSync(dirname(settings), { recursive: true });
  vi.stubEnv("HOME", join(folder, "user"));
});

afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true, force: true });
});

const read = (): string => readFileSync(settings, "utf8");
const install = (by = OURS): string | undefined => planInstall(home, settings, by).apply();
const uninstall = (): string | undefined => planUninstall(home, settings).apply();
const meaning = (text: string): unknown => {
  const json = text.replace(/^\ufeff/, "");
  return json.trim() === "" ? undefined : JSON.parse(json);
};

const EXISTING = `{
    "model": "opus",
    "permissions": { "allow": ["Bash(ls:*)"], "x-unknown": 1e3 },
    "hooks": {
        "Stop": [
            { "hooks": [{ "type": "command", "command": "say done" }] }
        ],
        "PostToolUse": [{ "matcher": "Write", "hooks": [{ "type": "command", "command": "prettier" }] }]
    },
    "zeta": null
}
`;
/** As it is written where the copy cannot come back: all it says, in its order, by its indentation. */
const laidOut = (text: string): string => `${JSON.stringify(JSON.parse(text), null, 4).replace("1000", "1e3")}\n`;

const COMMENTED = `// my settings
{
\t/* which model */ "model": "opus", // the big one
\t"hooks": {
\t\t// later: "Stop"
\t},
}
// the end`;

const FILES: [string, string][] = [
  ["an existing one", EXISTING],
  ["an empty one", ""],
  ["a blank one", "\n\n"],
  ["an empty object", "{}"],
  ["one with Windows line ends", EXISTING.replaceAll("\n", "\r\n")],
  ["one on a single line", JSON.stringify(JSON.parse(EXISTING))],
  ["one with a byte order mark", `\ufeff${EXISTING}`],
];

describe.each(FILES)("hooks in %s", (_, text) => {
  beforeEach(() => writeFileSync(settings, text, { mode: 0o640 }));

  test("are all there, beside everything that was, and work as JSON", () => {
    install();
    expect(new Set(ours(read()).map(({ event }) => event))).toEqual(new Set(OURS.map(({ event }) => event)));
    const before = meaning(text) as Record<string, Record<string, unknown[]>> | undefined;
    const after = meaning(read()) as Record<string, Record<string, unknown[]>>;
    for (const [key, value] of Object.entries(before ?? {})) if (key !== "hooks") expect(after[key]).toEqual(value);
    for (const [event, groups] of Object.entries(before?.hooks ?? {}))
      expect(after.hooks?.[event]?.slice(0, groups.length)).toEqual(groups);
  });

  test("are gone after uninstall, byte for byte, and so is the copy", () => {
    const backup = install();
    expect(backup && readFileSync(backup, "utf8")).toBe(text);
    expect(statSync(settings).mode & 0o777).toBe(0o640);
    uninstall();
    expect(read()).toBe(text);
    expect(readdirSync(dirname(settings))).toEqual(["settings.json"]);
    expect(statSync(settings).mode & 0o777).toBe(0o640);
  });

  test("are not installed twice", () => {
    install();
    const once = read();
    const again = planInstall(home, settings, OURS);
    expect(again.after).toBe(again.before);
    install();
    expect(read()).toBe(once);
  });

  test("of an older version give way to the new ones, and the first state still comes back", () => {
    install(wanted("claude", { ...LAUNCH, parley: "/old/bin/parley", wake: false }));
    install();
    expect(read()).not.toContain("/old/");
    expect(ours(read())).toHaveLength(OURS.length);
    uninstall();
    expect(read()).toBe(text);
  });
});

describe("hooks in a file that somebody changed since", () => {
  test("are taken out alone, and the copy is kept", () => {
    writeFileSync(settings, EXISTING);
    const backup = install();
    writeFileSync(settings, read().replace('"opus"', '"haiku"'));
    expect(uninstall()).toBe(backup);
    expect(read()).toBe(laidOut(EXISTING.replace('"opus"', '"haiku"')));
    expect(existsSync(backup ?? "")).toBe(true);
  });

  test.each([
    ["an empty object", '{\n  "hooks": {},\n  "model": "opus"\n}\n'],
    ["an empty list", '{\n  "hooks": {\n    "Stop": []\n  },\n  "model": "opus"\n}\n'],
  ])("leave what a person had there before: %s", (_, text) => {
    writeFileSync(settings, text);
    install();
    writeFileSync(settings, read().replace('"opus"', '"haiku"'));
    uninstall();
    expect(read()).toBe(text.replace('"opus"', '"haiku"'));
  });

  test("leave alone what somebody put into our own group", () => {
    writeFileSync(settings, "{}");
    install();
    const text = read();
    const mine = '{ "type": "command", "command": "mine" }';
    const at = text.indexOf("[", text.indexOf("[", text.indexOf('"PreCompact"')) + 1) + 1;
    writeFileSync(settings, `${text.slice(0, at)}${mine},${text.slice(at)}`);
    uninstall();
    expect(meaning(read())).toEqual({ hooks: { PreCompact: [{ hooks: [JSON.parse(mine)] }] } });
  });

  test("come out without the record of what was done, too", () => {
    writeFileSync(settings, EXISTING);
    install();
    rmSync(join(home, "hooks"), { recursive: true });
    uninstall();
    expect(read()).toBe(laidOut(EXISTING));
  });

  test("keep every number as it was spelled, and every string with whatever stands in it", () => {
    const text =
      '{\n  "id": 12345678901234567890,\n  "tiny": 1.0e-3,\n  "say": "a \\"key\\": \\u00fc",\n  "__proto__": 1\n}\n';
    writeFileSync(settings, text);
    install();
    for (const spelled of ["12345678901234567890", "1.0e-3", '"__proto__": 1']) expect(read()).toContain(spelled);
    expect(read()).toContain('"a \\"key\\": ü"');
    uninstall();
    expect(read()).toBe(text);
  });

  test("never overwrite an earlier copy", () => {
    writeFileSync(`${settings}.parley-backup`, "precious");
    writeFileSync(settings, EXISTING);
    expect(install()).toBe(`${settings}.parley-backup-2`);
    uninstall();
    expect(readFileSync(`${settings}.parley-backup`, "utf8")).toBe("precious");
  });
});

describe("a missing file", () => {
  test("is made, with its folder, and is gone again after uninstall", () => {
    rmSync(dirname(settings), { recursive: true });
    expect(install()).toBeUndefined();
    expect(ours(read())).toHaveLength(OURS.length);
    uninstall();
    expect(existsSync(settings)).toBe(false);
  });
});

describe("what cannot be changed is left as it is", () => {
  test.each([
    ["{ broken", /its client cannot read it, .*line 1 column 3/],
    [`${EXISTING}}`, /its client cannot read it, .*line 12 column 1/],
    [COMMENTED, /its client cannot read it, Unexpected token '\/'/],
    ['{\n  "model": "opus",\n}', /its client cannot read it, .*line 3 column 1/],
    ["[]", /it is JSON, but not an object/],
    ['{"hooks": []}', /"hooks" is not an object in it/],
    ['{"hooks": {"Stop": {}}}', /"hooks" has no list for "Stop"/],
    ['{"hooks": {},\n"hooks": {}}', /a key stands in it twice/],
    ['{"hooks": {"Stop": [],\n\n"Stop": []}}', /a key stands in it twice/],
    ['{"hooks": {"Stop": [{"hooks": [], "hooks": []}]}}', /a key stands in it twice/],
    ['{"model": "opus", "model": "haiku"}', /a key stands in it twice/],
  ])("a broken one: %j", (text, why) => {
    writeFileSync(settings, text);
    expect(() => install()).toThrow(`${settings} cannot be changed: `);
    expect(() => install()).toThrow(why);
    expect(() => install()).toThrow(expect.objectContaining({ cause: expect.objectContaining({ name: "Unusable" }) }));
    expect(read()).toBe(text);
    expect(readdirSync(dirname(settings))).toEqual(["settings.json"]);
  });

  test("one that is no text", () => {
    writeFileSync(settings, Buffer.from([0x7b, 0xff, 0x7d]));
    expect(() => install()).toThrow("is not UTF-8 text. Nothing was changed.");
  });

  test("a read-only one", () => {
    writeFileSync(settings, EXISTING);
    chmodSync(settings, 0o444);
    expect(() => install()).toThrow(`${settings} is read-only. Nothing was changed.`);
    expect(readdirSync(dirname(settings))).toEqual(["settings.json"]);
  });

  test("a folder in its place", () => {
    mkdirSync(settings);
    expect(() => install()).toThrow("is not a file");
  });

  test("one that the system does not let us read", () => {
    symlinkSync(settings, settings);
    expect(() => install()).toThrow(`${settings} cannot be read (ELOOP`);
  });

  test("one that was changed while the person looked at the change", () => {
    writeFileSync(settings, EXISTING);
    const change = planInstall(home, settings, OURS);
    writeFileSync(settings, '{"theirs": true}');
    expect(() => change.apply()).toThrow("was changed by somebody else just now");
    expect(read()).toBe('{"theirs": true}');
    expect(readdirSync(dirname(settings))).toEqual(["settings.json"]);
  });

  test("one that came into being meanwhile", () => {
    const change = planInstall(home, settings, OURS);
    writeFileSync(settings, "theirs");
    expect(() => change.apply()).toThrow("was changed by somebody else just now");
    expect(read()).toBe("theirs");
  });

  test("one that was changed before it could be restored", () => {
    writeFileSync(settings, EXISTING);
    install();
    const change = planUninstall(home, settings);
    writeFileSync(settings, '{"theirs": true}');
    expect(() => change.apply()).toThrow("was changed by somebody else just now");
    expect(read()).toBe('{"theirs": true}');
  });
});

describe("a link", () => {
  test("to a file in one's home stays a link, and the file is changed", () => {
    const real = join(folder, "user", "dotfiles.json");
    writeFileSync(real, EXISTING);
    symlinkSync(real, settings);
    install();
    expect(lstatSync(settings).isSymbolicLink()).toBe(true);
    expect(ours(readFileSync(real, "utf8"))).toHaveLength(OURS.length);
    uninstall();
    expect(lstatSync(settings).isSymbolicLink()).toBe(true);
    expect(readFileSync(real, "utf8")).toBe(EXISTING);
  });

  test("out of one's home is refused", () => {
    const real = join(folder, "elsewhere.json");
    writeFileSync(real, EXISTING);
    symlinkSync(real, settings);
    expect(() => install()).toThrow(`${settings} leads to ${real}, outside of your home.`);
    expect(readFileSync(real, "utf8")).toBe(EXISTING);
  });

  test("that leads nowhere is refused", () => {
    symlinkSync(join(folder, "nowhere.json"), settings);
    expect(() => install()).toThrow("is a link that leads nowhere");
    expect(existsSync(join(folder, "nowhere.json"))).toBe(false);
  });

  test("in the folder's place is followed only within one's home", () => {
    rmSync(dirname(settings), { recursive: true });
    mkdirSync(join(folder, "outside"));
    symlinkSync(join(folder, "outside"), dirname(settings));
    expect(() => install()).toThrow("outside of your home");
    expect(readdirSync(join(folder, "outside"))).toEqual([]);
  });
});

describe("a command in the settings", () => {
  test("is absolute, and a shell reads it as it is meant", () => {
    for (const client of CLIENTS)
      for (const { command } of wanted(client, LAUNCH).flatMap(({ group }) => group.hooks))
        expect(command).toMatch(/^exec '\/opt\/it'\\''s here\/bin\/parley' (hook|wait) .*--home '\/data\/a b'$/);
  });

  test("that only mentions Parley is nobody's but its owner's", () => {
    const text = JSON.stringify({
      hooks: {
        Stop: [{ hooks: [{ type: "command", command: "parley hook Stop" }, { command: "echo exec parley" }, 7] }],
      },
    });
    writeFileSync(settings, text);
    expect(planUninstall(home, settings).after).toBe(text);
  });
});
