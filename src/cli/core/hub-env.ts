/**
 * What a hub that a command starts is told of the environment. It goes on long after the command, which may be an
 * agent's: neither that agent's keys nor what it said it was are any of the hub's business.
 */

import type { Env } from "./io.ts";

/** Where things are, which language and time, and how to trust and reach a database. */
const PASSED =
  /^(PATH|HOME|USER|LOGNAME|LANG|LANGUAGE|LC_[A-Z]+|TZ|TMPDIR|XDG_CACHE_HOME|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|PG[A-Z]+|SystemRoot|USERPROFILE|APPDATA|LOCALAPPDATA|TEMP|TMP)$/;

/** Settings of a hub; not as whom, where or how a command acts, nor which run or task it is part of: a hub outlives those. */
const SETTING =
  /^PARLEY_(?!(TOKEN|URL|SPACE|CAUSE|AGENT_NAME|NO_START|HOOK_MS|RUN|WORK|WORKER|TRIGGER(_SESSION_KEY)?|TASK_(ID|ATTEMPT|CHANNEL|SENDER)|(NEW|RESUME)_SESSION_ID)$)/;
/** Where the folder remembers how its hub runs, that counts and not what happens to be around. */
const REMEMBERED = ["PARLEY_PORT", "PARLEY_HOST"];

export const hubEnv = (env: Env, remembered: boolean): NodeJS.ProcessEnv =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => PASSED.test(name) || (SETTING.test(name) && !(remembered && REMEMBERED.includes(name))),
    ),
  );
