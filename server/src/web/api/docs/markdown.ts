/** A block of Markdown. A test refuses documents with any other form ([decision 95]). */
export type Block =
  | { kind: 'heading'; level: number; text: string; id: string }
  | { kind: 'paragraph'; text: string }
  /** `first` is the number of the first item; null without numbers. */
  | { kind: 'list'; first: number | null; items: string[] }
  | { kind: 'table'; head: string[]; rows: string[][] }
  | { kind: 'code'; language: string; code: string };

const heading = /^(#{1,4}) (.+)$/;
const fence = /^```(\w*)$/;
const bullet = /^[-*] /;
const number = /^\d+\. /;
const divider = /^\|[-:| ]+\|$/;

/** Never fails: an unknown form becomes a paragraph. */
export function readMarkdown(source: string): Block[] {
  const lines = source.replace(/^<!--[\s\S]*?-->$/gm, '').split(/\r?\n/);
  const blocks: Block[] = [];
  const used = new Map<string, number>();
  for (let at = 0; at < lines.length; ) {
    const line = lines[at] ?? '';
    const [, marks = '', title] = heading.exec(line) ?? [];
    const [opened, language = ''] = fence.exec(line) ?? [];
    if (line.trim() === '') at += 1;
    else if (title !== undefined) {
      blocks.push({ kind: 'heading', level: marks.length, text: title, id: anchorOf(title, used) });
      at += 1;
    } else if (opened !== undefined) {
      const end = lines.indexOf('```', at + 1);
      const code = lines.slice(at + 1, end === -1 ? undefined : end);
      blocks.push({ kind: 'code', language, code: code.join('\n') });
      at += code.length + 2;
    } else {
      const end = lines.findIndex(
        (other, index) => index > at && (other.trim() === '' || startsBlock(line, other)),
      );
      const part = lines.slice(at, end === -1 ? undefined : end);
      blocks.push(readPart(part));
      at += part.length;
    }
  }
  return blocks;
}

function startsBlock(first: string, next: string): boolean {
  if (heading.test(next) || fence.test(next)) return true;
  if (first.startsWith('|')) return !next.startsWith('|');
  return next.startsWith('|') || (!isItem(first) && isItem(next));
}

function isItem(line: string): boolean {
  return bullet.test(line) || number.test(line);
}

function readPart(lines: readonly string[]): Block {
  const [first = '', second = ''] = lines;
  if (first.startsWith('|') && divider.test(second))
    return { kind: 'table', head: cellsOf(first), rows: lines.slice(2).map(cellsOf) };
  if (!isItem(first)) return { kind: 'paragraph', text: lines.map((line) => line.trim()).join(' ') };
  const items: string[] = [];
  for (const line of lines) {
    if (isItem(line)) items.push(line.replace(/^\S+ +/, ''));
    else items.push(`${items.pop() ?? ''} ${line.trim()}`);
  }
  return { kind: 'list', first: number.test(first) ? Number.parseInt(first, 10) : null, items };
}

/** Within a cell, a bar is written `\|`. */
function cellsOf(row: string): string[] {
  return row
    .replace(/^\||\|$/g, '')
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim().replaceAll('\\|', '|'));
}

/** The anchor that GitHub gives a heading, so that links between documents work there and here. */
function anchorOf(title: string, used: Map<string, number>): string {
  const id = plainText(title)
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}_ -]/gu, '')
    .replaceAll(' ', '-');
  const before = used.get(id);
  used.set(id, (before ?? 0) + 1);
  return before === undefined ? id : `${id}-${before}`;
}

export function plainText(text: string): string {
  return spansOf(text)
    .map((span) => (span.kind === 'code' || span.kind === 'text' ? span.text : plainText(span.text)))
    .join('');
}

export type Span =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis'; text: string }
  | { kind: 'link' | 'image'; text: string; target: string };

const spans =
  /`(?<code>[^`]+)`|(?<bang>!?)\[(?<label>[^[\]]*)\]\((?<target>[^()\s]+)\)|<(?<address>https?:\/\/[^<>\s]+)>|\*\*(?<strong>[^*]+)\*\*|\*(?<emphasis>[^\s*](?:[^*]*[^\s*])?)\*/g;

export function spansOf(text: string): Span[] {
  const found: Span[] = [];
  let end = 0;
  for (const match of text.matchAll(spans)) {
    if (match.index > end) found.push({ kind: 'text', text: text.slice(end, match.index) });
    found.push(spanOf(match.groups ?? {}));
    end = match.index + match[0].length;
  }
  if (end < text.length) found.push({ kind: 'text', text: text.slice(end) });
  return found;
}

function spanOf({
  code,
  bang,
  label,
  target,
  address,
  strong,
  emphasis,
}: Record<string, string | undefined>): Span {
  if (code !== undefined) return { kind: 'code', text: code };
  if (address !== undefined)
    return { kind: 'link', text: address.replace(/^https?:\/\//, ''), target: address };
  if (target !== undefined) return { kind: bang === '!' ? 'image' : 'link', text: label ?? '', target };
  return strong === undefined ? { kind: 'emphasis', text: emphasis ?? '' } : { kind: 'strong', text: strong };
}
