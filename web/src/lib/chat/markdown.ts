import DOMPurify from "dompurify";
import { Marked, type Tokens } from "marked";

/** Beyond this, markup is shown as it was written: nobody writes so much of it by hand. */
export const MOST_MARKDOWN = 64 * 1024;

const escapeHtml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const marked = new Marked({
  gfm: true,
  breaks: true,
  renderer: {
    // HTML in a message is what somebody said, not a part of this page.
    html: ({ text }: Tokens.HTML | Tokens.Tag) => escapeHtml(text),
    code: ({ text, lang }: Tokens.Code) => codeBlock(text, lang),
    link({ href, tokens }: Tokens.Link) {
      return anchor(href, this.parser.parseInline(tokens));
    },
    // Loading it would tell its host who reads this, and when.
    image: ({ href, text }: Tokens.Image) => anchor(href, escapeHtml(text || "image"), "Image: "),
    // The page has headings of its own above these.
    heading({ tokens, depth }: Tokens.Heading) {
      const level = Math.min(depth + 2, 6);
      return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
    },
    checkbox: ({ checked }: Tokens.Checkbox) => (checked ? "☑ " : "☐ "),
    table(token: Tokens.Table) {
      const row = (cells: Tokens.TableCell[], tag: string): string =>
        `<tr>${cells.map(({ tokens }) => `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`).join("")}</tr>`;
      const body = token.rows.map((cells) => row(cells, "td")).join("");
      return `<div class="wide" tabindex="0"><table><thead>${row(token.header, "th")}</thead><tbody>${body}</tbody></table></div>`;
    },
  },
});

/** Anything that markdown might read as markup. Most of what people say has nothing of it. */
const MARKUP = /[\\`*_~[\]<>|#&]|https?:|www\.|@|^\s*(?:[-+=]|\d+[.)])|^(?: {4}|\t)/m;
export const isPlain = (text: string): boolean => !MARKUP.test(text);

const MOST_KEPT = 1000;
const MOST_KEPT_LETTERS = 4096;
/** Rows come and go as the list is scrolled; their text stays the same. */
const rendered = new Map<string, string>();

export function htmlOf(text: string): string {
  const known = rendered.get(text);
  if (known !== undefined) return known;
  const html = renderMarkdown(text);
  if (rendered.size >= MOST_KEPT) rendered.clear();
  if (text.length <= MOST_KEPT_LETTERS) rendered.set(text, html);
  return html;
}

/** Safe HTML of a message. The renderer lets no HTML through, and what it made is sanitised all the same. */
function renderMarkdown(text: string): string {
  const html = marked.parse(text.slice(0, MOST_MARKDOWN), { async: false });
  return DOMPurify.sanitize(html, {
    ALLOWED_TAGS: [
      ..."p br strong em del code pre ul ol li blockquote h3 h4 h5 h6 hr".split(" "),
      ..."table thead tbody tr th td a div span button".split(" "),
    ],
    ALLOWED_ATTR: ["href", "target", "rel", "class", "tabindex", "type", "start", "dir"],
    // Without this their values would have to look like addresses.
    ADD_URI_SAFE_ATTR: ["target", "rel", "tabindex", "type", "start", "dir"],
    ALLOWED_URI_REGEXP: /^(?:https?:|mailto:)/i,
    ALLOW_DATA_ATTR: false,
    ALLOW_ARIA_ATTR: false,
  });
}

function codeBlock(text: string, lang: string | undefined): string {
  const name = escapeHtml((lang ?? "").slice(0, 20));
  const bar = `<div class="bar"><span>${name}</span><button type="button" class="copy">Copy</button></div>`;
  return `<div class="code">${bar}<pre tabindex="0" dir="ltr"><code>${escapeHtml(text)}</code></pre></div>`;
}

/** A link says where it leads, whatever its text says. */
function anchor(href: string, label: string, before = ""): string {
  const host = hostOf(href);
  if (host === undefined) return `${before}${label}`;
  const tail = label.includes(host) ? "" : ` <span class="host">(${escapeHtml(host)})</span>`;
  return `<a href="${escapeHtml(href)}" target="_blank" rel="noopener noreferrer nofollow">${before}${label}</a>${tail}`;
}

/** Undefined for what is no address to follow: scripts, data, paths into this page. */
function hostOf(href: string): string | undefined {
  if (/^mailto:/i.test(href)) return decodeURI(href.slice(7)).split("?")[0];
  if (!/^https?:\/\//i.test(href) || !URL.canParse(href)) return undefined;
  return new URL(href).host;
}
