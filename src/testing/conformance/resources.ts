import type { ReadResourceResult } from "@modelcontextprotocol/server";
import { matchUri } from "../../resource.ts";
import { IMAGE } from "./content.ts";

export const WATCHED = "test://watched-resource";
const TEMPLATE = "test://template/{id}/data";

export const RESOURCES = [
  { uri: "test://static-text", name: "static-text", description: "A text.", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static-binary", description: "An image.", mimeType: "image/png" },
  { uri: WATCHED, name: "watched-resource", description: "Something to follow.", mimeType: "text/plain" },
];

export const TEMPLATES = [
  { uriTemplate: TEMPLATE, name: "template", description: "One of many.", mimeType: "application/json" },
];

/** Nothing where the hub is to be asked. */
export function readFixture(uri: string): ReadResourceResult | undefined {
  const mimeType = "text/plain";
  if (uri === "test://static-text")
    return { contents: [{ uri, mimeType, text: "This is the content of the static text resource." }] };
  if (uri === "test://static-binary") return { contents: [{ uri, mimeType: IMAGE.mimeType, blob: IMAGE.data }] };
  if (uri === WATCHED) return { contents: [{ uri, mimeType, text: "Watched resource content" }] };
  const id = matchUri(TEMPLATE, uri)?.id;
  if (!id) return undefined;
  const data = { id, templateTest: true, data: `Data for ID: ${id}` };
  return { contents: [{ uri, mimeType: "application/json", text: JSON.stringify(data) }] };
}
