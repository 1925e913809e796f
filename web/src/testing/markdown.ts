/** What markdown is read as, as text that can be compared: from the tree, and from the HTML of a specification. */
import { type Align, linkTo, type Part, type Piece, part, type Tag } from "#lib/markdown/tree.ts";

/** As short as can be read: a link has its address, and a run is only what is in it. */
export function shown(pieces: readonly Piece[]): string {
  return pieces.map((piece) => (typeof piece === "string" ? piece : shownPart(piece))).join("");
}

function shownPart({ tag, pieces, href, start, lang, align, done }: Part): string {
  if (tag === "run") return shown(pieces);
  const more = [href, lang, start !== undefined && start !== 1 ? start : undefined, align, done && "done"];
  const name = [tag, ...more.filter((one) => one)].join(" ");
  return pieces.length === 0 ? `<${name}>` : `<${name}>${shown(pieces)}</${tag}>`;
}

const BLOCK = "(?:p|h[1-6]|hr|pre|blockquote|[uo]l|li|table|thead|tbody|t[rhd]|section)";
const PIECE = /<(\/?)([a-z][a-z0-9]*)((?:"[^"]*"|[^<>"])*)>|\n|[^<\n]+|</g;
const HEADINGS: Readonly<Record<string, Tag>> = { h1: "h3", h2: "h4", h3: "h5", h4: "h6", h5: "h6" };

/** HTML of a specification, as far as a message can be that. */
export function treeOfHtml(html: string): Piece[] {
  const around = part("run");
  const open = [{ made: around, attributes: "" }];
  for (const [text, end, name = "", attributes = ""] of tidied(html).matchAll(PIECE)) {
    const pieces = open.at(-1)?.made.pieces ?? [];
    if (text === "\n") pieces.push(part("br"));
    else if (name === "") pieces.push(decoded(text));
    else if (end) {
      const ended = open.pop();
      if (ended) open.at(-1)?.made.pieces.push(...finished(name, ended));
    } else if (["br", "hr", "img", "input"].includes(name)) pieces.push(...single(name, attributes));
    else open.push({ made: begun(name, attributes), attributes });
  }
  return around.pieces;
}

/** Without what a page does not show: ends of lines between blocks, and the ways back from a footnote. */
function tidied(html: string): string {
  return html
    .replaceAll(/<pre><code(?: class="language-([^" ]*)[^"]*")?>([\s\S]*?)<\/code><\/pre>/g, (_, lang = "", code) => {
      const lines = String(code).replace(/\n$/, "").replaceAll("\n", "&#10;");
      return `<pre lang="${lang}">${lines}</pre>`;
    })
    .replaceAll(/ ?<a [^>]*data-footnote-backref[^>]*>.*?<\/a>/g, "")
    .replaceAll(/<section[^>]*>\s*<ol>([\s\S]*)<\/ol>\s*<\/section>/g, "<notes>$1</notes>")
    .replaceAll(/(<input[^>]*>) /g, "$1")
    .replaceAll(/<br \/>\n/g, "<br />")
    .replaceAll(new RegExp(`\\n*(</?(?:${BLOCK}|notes)\\b[^>]*>)\\n*`, "g"), "$1");
}

function begun(name: string, attributes: string): Part {
  // The examples that are compared have no other elements than messages.
  const made = part(HEADINGS[name] ?? (name as Tag));
  const [start, align] = [attribute(attributes, "start"), attribute(attributes, "align")];
  if (start !== "") made.start = Number(start);
  // These are what a specification writes.
  if (align !== "") made.align = align as Align;
  if (name === "pre") made.lang = attribute(attributes, "lang");
  return made;
}

const finished = (name: string, { made, attributes }: { made: Part; attributes: string }): Piece[] =>
  name === "a" ? linkTo(attribute(attributes, "href"), made.pieces) : [made];

function single(name: string, attributes: string): Piece[] {
  if (name === "img") return linkTo(attribute(attributes, "src"), [`Image: ${attribute(attributes, "alt")}`]);
  if (name === "input") return [{ ...part("task"), done: attributes.includes("checked") }];
  return [part(name === "br" ? "br" : "hr")];
}

const attribute = (attributes: string, name: string): string =>
  decoded(new RegExp(`\\s${name}="([^"]*)"`).exec(attributes)?.[1] ?? "");

const CHARACTERS: Readonly<Record<string, string>> = { "#10": "\n", lt: "<", gt: ">", quot: '"', amp: "&" };
const decoded = (text: string): string =>
  text.replaceAll(/&(#10|lt|gt|quot|amp);/g, (_, name: string) => CHARACTERS[name] ?? "");
