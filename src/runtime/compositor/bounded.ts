/** What an address answers, up to as much as a program may say at once: the official client would read all of it. */
import type { FetchLike } from "@modelcontextprotocol/client";

/** As the official client takes from a program. */
const MOST_BYTES = 10 * 1024 * 1024;
/** Behind it the next event of a stream begins. */
const ENDS = ["\n\n", "\r\r", "\r\n\r\n"];

/** `exceeded` is told when something is longer, and is not read on. */
export const boundedFetch =
  (exceeded: (why: string) => void): FetchLike =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (!response.body) return response;
    const isStream = response.headers.get("content-type")?.includes("text/event-stream") === true;
    return new Response(response.body.pipeThrough(bounded(isStream, exceeded)), response);
  };

/** Of a stream each event is bounded: it may have any number of them. */
function bounded(isStream: boolean, exceeded: (why: string) => void): TransformStream<Uint8Array, Uint8Array> {
  let [bytes, tail] = [0, ""];
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.length;
      if (isStream) {
        // Byte for byte, so that a place in it is one in the chunk.
        const text = tail + Buffer.from(chunk).toString("latin1");
        const end = Math.max(...ENDS.map((end) => text.lastIndexOf(end)));
        if (end >= 0) bytes = text.length - end;
        tail = text.slice(-3);
      }
      if (bytes <= MOST_BYTES) return controller.enqueue(chunk);
      const why = `It answered with more than ${MOST_BYTES} bytes at once.`;
      exceeded(why);
      controller.error(new Error(why));
    },
  });
}
