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
  if (part.tag === "task") return box(part.done === true);
  if (part.tag === "notes") return filled(element("ol", { class: "notes" }), part);
  const node = plain(part);
  if (part.start !== undefined && part.start !== 1) node.setAttribute("start", String(part.start));
  if (part.align) node.setAttribute("class", part.align);
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

/** Only shown: the message stays as it was written. */
function box(done: boolean): HTMLElement {
  const node = element("input", { type: "checkbox", disabled: "", "aria-label": done ? "Done" : "Not done" });
  node.toggleAttribute("checked", done);
  return node;
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
