import type { Ctx } from "../../../context.ts";
import type { ExportDraft, ExportedDraft, Section } from "../schema.ts";
import { draft } from "./drafting.ts";

/** The whole draft as one document. */
export async function exportDraft(ctx: Ctx, { format }: ExportDraft): Promise<ExportedDraft> {
  const sections = await wholeDraft(ctx);
  const content = format === "html" ? await htmlOf(sections) : markdownOf(sections);
  return { format, sections: sections.length, content };
}

async function wholeDraft(ctx: Ctx): Promise<Section[]> {
  const all: Section[] = [];
  for (let after: string | undefined; ; ) {
    const { sections, next } = await draft(ctx, { after });
    all.push(...sections);
    if (next === null) return all;
    after = next;
  }
}

const markdownOf = (sections: readonly Section[]): string =>
  sections.map(({ title, content }) => `# ${title}\n\n${content.trim()}\n`).join("\n");

/** Nothing of it can run, and nothing is fetched from elsewhere, whatever the sections say. */
const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width">
<title>Draft</title>
<style>body{max-width:44em;margin:2em auto;padding:0 1em;font:1em/1.6 system-ui,sans-serif}pre{overflow:auto}table{border-collapse:collapse}td,th{border:1px solid #999;padding:.2em .5em}</style>
</head>
<body>
`;

async function htmlOf(sections: readonly Section[]): Promise<string> {
  // Loaded by who exports, and by nobody else.
  const { default: MarkdownIt } = await import("markdown-it");
  // HTML in a text is shown as text; an image would be asked for when the document is opened.
  const markdown = new MarkdownIt({ html: false }).disable("image");
  const parts: string[] = [];
  for (const { title, content } of sections) {
    parts.push(`<section>\n<h1>${markdown.utils.escapeHtml(title)}</h1>\n${markdown.render(content)}</section>\n`);
    // A long draft takes its time: others have a turn between two of its sections.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return `${HEAD}${parts.join("")}</body>\n</html>\n`;
}
