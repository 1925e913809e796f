import type { CallToolResult, ContentBlock } from "@modelcontextprotocol/server";

/** A red dot. */
export const IMAGE = {
  type: "image" as const,
  mimeType: "image/png",
  data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
};

/** A WAV file without a sound. */
export const AUDIO = {
  type: "audio" as const,
  mimeType: "audio/wav",
  data: "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA=",
};

export const text = (value: string): { type: "text"; text: string } => ({ type: "text", text: value });

export const embedded = (uri: string, mimeType: string, value: string): ContentBlock => ({
  type: "resource",
  resource: { uri, mimeType, text: value },
});

export const saying = (value: string): CallToolResult => ({ content: [text(value)] });
