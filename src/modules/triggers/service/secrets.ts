/**
 * Secrets of webhooks are stored so that the database alone gives none away: sealed by AES-256-GCM with a key from a
 * file, each for its own trigger. Every node of a database has to have the same key: which one it is, a fingerprint in
 * the database says.
 */

import { createCipheriv, createDecipheriv, createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import type { Config } from "../../../config.ts";
import type { TxCtx } from "../../../context.ts";
import { ParleyError } from "../../../errors.ts";
import { createFile } from "../../../local/files.ts";
import { readOwn } from "../../../local/rights.ts";
import * as store from "../store.ts";

const KEY_BYTES = 32;
const IV_BYTES = 12;
const TAG_BYTES = 16;
const CIPHER = "aes-256-gcm";
const FORM = "v1.";

interface SecretOwner {
  space_id: string;
  trigger_id: number;
}

const keys = new Map<string, Buffer>();

/** The key that this database's secrets are sealed with. The first to need one makes it. */
export async function keyOf(ctx: TxCtx): Promise<Buffer> {
  const { secret_key_file: file } = ctx.config;
  const known = await store.findFingerprint(ctx.tx);
  if (known === undefined && !existsSync(file)) make(file);
  const key = read(file);
  const own = fingerprint(key);
  if (known === undefined) await store.insertFingerprint(ctx.tx, own);
  const agreed = known ?? (await store.findFingerprint(ctx.tx));
  if (agreed !== own) throw wrong(file);
  return key;
}

/** All or nothing, for no other user's eyes; one that somebody else has just made stays. */
function make(file: string): void {
  try {
    createFile(file, `${randomBytes(KEY_BYTES).toString("base64")}\n`, { flush: true });
  } catch (error) {
    throw wrong(file, error);
  }
}

function read(file: string): Buffer {
  const known = keys.get(file);
  if (known) return known;
  let key: Buffer;
  try {
    key = Buffer.from(readOwn(file).trim(), "base64");
  } catch (error) {
    throw wrong(file, error);
  }
  if (key.length !== KEY_BYTES) throw wrong(file);
  keys.set(file, key);
  return key;
}

const wrong = (file: string, cause?: unknown): ParleyError =>
  new ParleyError(
    "SECRET_KEY_WRONG",
    `The key in ${file} is not the one that this hub's secrets are sealed with, or cannot be read. Copy it from the node that made it, or name it with PARLEY_SECRET_KEY_FILE.`,
    { cause },
  );

const fingerprint = (key: Buffer): string =>
  createHash("sha256").update("parley secret key\n").update(key).digest("hex").slice(0, 32);

export function seal(key: Buffer, secret: string, owner: SecretOwner): string {
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(CIPHER, key, iv).setAAD(bound(owner));
  const sealed = Buffer.concat([iv, cipher.update(secret, "utf8"), cipher.final(), cipher.getAuthTag()]);
  return `${FORM}${sealed.toString("base64")}`;
}

/** For who only reads. */
export function unseal(config: Config, sealed: string, owner: SecretOwner): string {
  const { secret_key_file: file } = config;
  const bytes = Buffer.from(sealed.slice(FORM.length), "base64");
  try {
    const decipher = createDecipheriv(CIPHER, read(file), bytes.subarray(0, IV_BYTES))
      .setAAD(bound(owner))
      .setAuthTag(bytes.subarray(-TAG_BYTES));
    return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]).toString("utf8");
  } catch (error) {
    throw error instanceof ParleyError ? error : wrong(file, error);
  }
}

/** So that no row's secret can be put into another's place. */
const bound = ({ space_id, trigger_id }: SecretOwner): Buffer => Buffer.from(`${space_id}/${trigger_id}`);
