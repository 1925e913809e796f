import MarkdownIt, { type MarkdownIt as Parser, type Token } from "markdown-it";
import footnotes from "markdown-it-footnote";

/**
 * Deeper than anybody writes by hand; a browser draws a page that is nested much deeper slowly, or not at all. Beyond
 * it markdown-it leaves out what there is, so a message that comes there is not read as markdown at all.
 */
export const MOST_DEPTH = 48;

export interface Parsed {
  tokens: Token[];
  /** The names of the footnotes that the text refers to, in that order. */
  footnotes: string[];
}

let made: Parser | undefined;
/** When there is something to read: most messages have no markup. */
const parser = (): Parser => {
  made ??= newParser();
  return made;
};

/** Reads markup as GitHub does. Undefined where it is nested too deep. */
export function parse(text: string): Parsed | undefined {
  const env: { footnotes?: { list?: { label: string }[] } } = {};
  const tokens = parser().parse(text, env);
  if (tokens.some(({ level }) => level >= MOST_DEPTH)) return undefined;
  return { tokens, footnotes: env.footnotes?.list?.map(({ label }) => label) ?? [] };
}

/** What a block of code says it is: the first word behind its fence. */
export const languageOf = (info: string): string => parser().utils.unescapeAll(/\S*/.exec(info.trim())?.[0] ?? "");

function newParser(): Parser {
  // HTML is known as such, so that nothing in it is taken for markup; the tree makes text of it.
  const markdown = new MarkdownIt({ html: true, linkify: true, maxNesting: MOST_DEPTH + 1 }).use(footnotes);
  // Blocks of HTML are text like any other; notes in the middle of a sentence are not GitHub's; and where the other
  // notes stand is the tree's to say.
  markdown.disable(["html_block", "footnote_inline", "footnote_tail"]);
  // So is which addresses can be followed: a link to any other is its text.
  markdown.validateLink = () => true;
  markdown.linkify
    .add("//")
    .add("ftp:")
    .add("http:", { validate: (text, at, { re }) => lengthOf(re.get_http_validator(), text, at) })
    .add("https:", { validate: (text, at, { re }) => lengthOf(re.get_http_validator(), text, at) })
    .add("www.", {
      validate: (text, at, { re }) => lengthOf(re.get_relative_proto_validator(), text, at),
      normalize: (match) => {
        match.url = `http://${match.url}`;
      },
    });
  return markdown;
}

/** Of the address that is there, without the punctuation of the sentence that it stands in. */
function lengthOf(address: RegExp, text: string, at: number): number {
  address.lastIndex = at;
  const found = address.exec(text)?.[0] ?? "";
  let length = found.length;
  while (length > 0 && "?!.,:*_~'\"".includes(found[length - 1] ?? " ")) length -= 1;
  return length;
}
