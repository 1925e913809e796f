/** How the sender of a webhook proves itself. Whatever it sends along, the strongest proof that it offers has to hold. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto";

const TOLERANCE_MS = 5 * 60 * 1000;
const WHSEC = "whsec_";
const DELIVERY = ["webhook-id", "x-github-delivery", "idempotency-key"];
const MOST_DELIVERY = 200;

export interface Signed {
  header: (name: string) => string | undefined;
  query: URLSearchParams;
  bytes: Buffer;
}

interface Check {
  /** Those that count. */
  secrets: readonly string[];
  now: number;
  query_secret: boolean;
}

/** Why a sender is not let in, for the owner alone; undefined where it has proved itself. */
export function whyNotProven(signed: Signed, { secrets, now, query_secret }: Check): string | undefined {
  const { header, query, bytes } = signed;
  const unless = (proves: (secret: string) => boolean, why: string): string | undefined =>
    secrets.some(proves) ? undefined : why;
  const standard = header("webhook-signature");
  if (standard !== undefined)
    return (
      whyUntimely(header, now) ??
      unless(
        (secret) => isStandard(signed, standard, secret),
        "Its webhook-signature is not of our secret and its bytes.",
      )
    );
  const hub = header("x-hub-signature-256");
  if (hub !== undefined)
    return unless(
      (secret) => !isOfStandard(bytes) && isSame(hub.toLowerCase(), `sha256=${macOf(secret, bytes)}`),
      "Its X-Hub-Signature-256 is not of our secret and its bytes.",
    );
  const plain = header("x-webhook-secret");
  if (plain !== undefined)
    return unless(
      (secret) => isSame(plain, secret) || isSame(asUtf8(plain), secret),
      "Its X-Webhook-Secret is another one.",
    );
  const asked = query.get("secret");
  if (asked === null) return "It was not signed and brought no secret.";
  if (!query_secret) return "It brought its secret in the address, which does not count here.";
  return unless((secret) => isSame(asked, secret), "The secret in its address is another one.");
}

const macOf = (secret: string, bytes: Buffer): string => createHmac("sha256", secret).update(bytes).digest("hex");

/**
 * Whether that is what Standard Webhooks signs: id, time and body. With a secret that is no `whsec_` both use the same key:
 * a delivery of years ago would count as one of GitHub's, which has neither time nor id. No JSON and no form begins so.
 */
const isOfStandard = (bytes: Buffer): boolean =>
  /^[^\s{}="<]{1,300}\.\d{9,12}\./.test(bytes.subarray(0, 400).toString("latin1"));

/** A header is read byte by byte, and what is no ASCII is sent as UTF-8 by some (curl) and as Latin-1 by others (fetch). */
const asUtf8 = (text: string): string => Buffer.from(text, "latin1").toString("utf8");

/** As Standard Webhooks has it: what is signed is signed with its id and its time. */
function whyUntimely(header: Signed["header"], now: number): string | undefined {
  const time = header("webhook-timestamp") ?? "";
  if (!header("webhook-id") || !/^\d{1,12}$/.test(time)) return "Its webhook-id or webhook-timestamp is missing.";
  const away = Math.abs(now - Number(time) * 1000);
  return away > TOLERANCE_MS ? "Its webhook-timestamp is more than five minutes from now." : undefined;
}

/** Over the id, the time and the bytes as they came; several signatures while keys change. */
function isStandard({ header, bytes }: Signed, signatures: string, secret: string): boolean {
  const signed = `${header("webhook-id") ?? ""}.${header("webhook-timestamp") ?? ""}.`;
  const mac = createHmac("sha256", keyOf(secret)).update(signed).update(bytes).digest("base64");
  return signatures.split(" ").some((signature) => isSame(signature, `v1,${mac}`));
}

/** `whsec_` and base64 by that standard; any other text is the key itself. */
function keyOf(secret: string): Buffer {
  const bytes = secret.startsWith(WHSEC) ? Buffer.from(secret.slice(WHSEC.length), "base64") : Buffer.alloc(0);
  return bytes.length >= 24 && bytes.length <= 64 ? bytes : Buffer.from(secret);
}

/** Takes as long whatever it is given: hashes are of one length, and those are compared whole. */
const isSame = (given: string, right: string): boolean => timingSafeEqual(hash(given), hash(right));
const hash = (text: string): Buffer => createHash("sha256").update(text).digest();

/** By which a sender names what it sends again. One that nothing has signed says as much as its sender does. */
export function deliveryOf({ header }: Signed): string | undefined {
  // An empty one names nothing.
  const id = DELIVERY.map((name) => header(name)?.trim()).find((one) => one !== undefined && one !== "");
  // Cut, it would be that of another that begins like it.
  return id === undefined || id.length <= MOST_DELIVERY ? id : `sha256:${hash(id).toString("hex")}`;
}
