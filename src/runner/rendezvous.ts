import { hash } from "node:crypto";

/**
 * Which of several nodes something falls to: the same one for everybody who knows the same nodes, whatever their order, and
 * when one comes or goes only its own share moves (rendezvous hashing).
 */
export function preferredOf(nodes: readonly string[], key: string): string | undefined {
  const weighed = nodes.map((node) => ({ node, weight: hash("sha1", `${node} ${key}`) }));
  return weighed.toSorted((one, other) => (one.weight < other.weight ? 1 : -1))[0]?.node;
}
