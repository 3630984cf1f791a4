export type Part =
  | string
  | { kind: 'value'; name: string }
  | { kind: 'plural'; name: string; forms: Record<string, Part[]> }
  | { kind: 'element'; name: string; within: Part[] };

/**
 * Parses the part of ICU's message format that the panel uses: `{name}`, `{count, plural, one {# day} other {# days}}`
 * and `<link>…</link>`. `'{name}'` and `'<link>'` in single quotes are text.
 */
export function parseMessage(message: string): Part[] {
  const reader = { message, at: 0 };
  return readParts(reader, () => false);
}

interface Reader {
  message: string;
  at: number;
}

const quoted = /'(\{[\w{}]+\}|<\w+>)'/y;
const value = /\{(\w+)\}/y;
const plural = /\{(\w+), plural, ?/y;
const form = /\s*(=\d+|\w+) ?\{/y;
const opening = /<(\w+)>/y;

function readParts(reader: Reader, isEnd: () => boolean): Part[] {
  const parts: Part[] = [];
  let text = '';
  const add = (part: Part) => {
    if (text) parts.push(text);
    text = '';
    parts.push(part);
  };
  while (reader.at < reader.message.length && !isEnd()) {
    const plain = read(reader, quoted);
    if (plain) {
      text += plain;
      continue;
    }
    const named = read(reader, value);
    if (named) {
      add({ kind: 'value', name: named });
      continue;
    }
    const counted = read(reader, plural);
    if (counted) {
      add({ kind: 'plural', name: counted, forms: readForms(reader) });
      continue;
    }
    const element = read(reader, opening);
    if (element) {
      const closing = `</${element}>`;
      const within = readParts(reader, () => reader.message.startsWith(closing, reader.at));
      reader.at += closing.length;
      add({ kind: 'element', name: element, within });
      continue;
    }
    text += reader.message[reader.at];
    reader.at += 1;
  }
  if (text) parts.push(text);
  return parts;
}

function readForms(reader: Reader): Record<string, Part[]> {
  const forms: Record<string, Part[]> = {};
  for (let name = read(reader, form); name; name = read(reader, form)) {
    forms[name] = readParts(reader, () => reader.message[reader.at] === '}');
    reader.at += 1;
  }
  reader.at += 1;
  return forms;
}

/** Returns the text that matches at the reader's position, and moves past it. */
function read(reader: Reader, pattern: RegExp): string | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.message);
  if (found) reader.at = pattern.lastIndex;
  return found?.[1];
}
