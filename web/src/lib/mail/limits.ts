import { sizeOf } from "#lib/size.ts";

const MOST_BYTES = 1024 * 1024;

/** Why a body cannot be sent as it is, or nothing. */
export const tooLong = (text: string): string | undefined =>
  text.length > MOST_BYTES / 4 && new Blob([text]).size > MOST_BYTES
    ? `This is ${sizeOf(text)}; a mail holds at most 1 MB.`
    : undefined;

/** What becomes of what is sent meanwhile. */
export const WHILE_AWAY = "The hub is away. What you send is kept here and goes when it is back.";
