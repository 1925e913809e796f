import { hostOf, type Part, type Piece, type Tag } from "./tree.ts";

/** Made node by node: no text is ever read as HTML, so a message cannot be more than what is made here. */
export function draw(pieces: readonly Piece[], into: Node): void {
  for (const piece of pieces)
    if (typeof piece === "string") into.appendChild(document.createTextNode(piece));
    else if (piece.tag === "run") draw(piece.pieces, into);
    else into.appendChild(drawn(piece));
}

function drawn(part: Part): Node {
  if (part.tag === "pre") return codeBlock(part);
  if (part.tag === "table") return element("div", { class: "wide", tabindex: "0" }, plain(part));
  if (part.tag === "host") return filled(element("span", { class: "host" }), part);
  if (part.tag === "a") return link(part);
  const node = plain(part);
  if (part.start !== undefined && part.start !== 1) node.setAttribute("start", String(part.start));
  return node;
}

const plain = (part: Part & { tag: Tag }): HTMLElement => filled(document.createElement(part.tag), part);

function filled(node: HTMLElement, { pieces }: Part): HTMLElement {
  draw(pieces, node);
  return node;
}

function link(part: Part): HTMLElement {
  const { href = "" } = part;
  // Looked at once more, where it takes effect.
  if (hostOf(href) === undefined) return plain({ ...part, tag: "code" });
  return filled(element("a", { href, target: "_blank", rel: "noopener noreferrer nofollow" }), part);
}

function codeBlock(part: Part): HTMLElement {
  const name = element("span", {});
  name.textContent = (part.lang ?? "").slice(0, 20);
  const copy = element("button", { type: "button", class: "copy" });
  copy.textContent = "Copy";
  const code = element("pre", { tabindex: "0", dir: "ltr" }, plain({ ...part, tag: "code" }));
  return element("div", { class: "code" }, element("div", { class: "bar" }, name, copy), code);
}

function element(tag: string, attributes: Readonly<Record<string, string>>, ...inner: Node[]): HTMLElement {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...inner);
  return node;
}
