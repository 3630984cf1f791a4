import { problems } from '../../../base/http/problems.ts';
import { errorCodes } from '../../../errors.ts';
import type { Reference } from '../reference/document.ts';
import { type Block, plainText } from './markdown.ts';
import type { Page } from './read-docs.ts';

export interface SearchEntry {
  url: string;
  page: string;
  heading: string;
  text: string;
}

export function searchEntries(pages: readonly Page[], reference: Reference): SearchEntry[] {
  return [
    ...pages.flatMap(partsOf),
    ...reference.tags.flatMap(({ operations }) =>
      operations.map(({ id, method, path, summary, description }) => ({
        url: `/docs/reference#${id}`,
        page: 'API reference',
        heading: `${method} ${path}`,
        text: `${summary} ${description}`.replaceAll('`', ''),
      })),
    ),
    ...errorCodes.map((code) => ({
      url: `/docs/errors/${code}`,
      page: 'Error codes',
      heading: code,
      text: `${problems[code].meaning} ${problems[code].remedy}`.replaceAll('`', ''),
    })),
  ];
}

function partsOf({ path, title, blocks }: Page): SearchEntry[] {
  const parts: SearchEntry[] = [];
  for (const block of blocks) {
    if (block.kind === 'heading') {
      const top = block.level === 1;
      parts.push({
        url: top ? path : `${path}#${block.id}`,
        page: title,
        heading: top ? title : plainText(block.text),
        text: '',
      });
    } else {
      const part = parts.at(-1);
      if (part) part.text = `${part.text} ${textOf(block)}`.trimStart();
    }
  }
  return parts;
}

function textOf(block: Exclude<Block, { kind: 'heading' }>): string {
  switch (block.kind) {
    case 'paragraph':
      return plainText(block.text);
    case 'list':
      return block.items.map(plainText).join(' ');
    case 'table':
      return [block.head, ...block.rows].map((row) => row.map(plainText).join(' ')).join(' ');
    case 'code':
      return block.code;
  }
}
