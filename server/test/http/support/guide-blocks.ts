import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../../../../docs/guides');

export const guides = ['openai', 'gemini', 'mcp', 'programs', 'browsers', 'sdk'] as const;

export interface Block {
  guide: (typeof guides)[number];
  language: string;
  code: string;
}

export function blocksOf(guide: Block['guide']): Block[] {
  const text = readFileSync(join(folder, `${guide}.md`), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].map(([, language = '', code = '']) => ({
    guide,
    language,
    code,
  }));
}

export function filledIn(code: string, { url, key }: { url: string; key: string }): string {
  return code.replaceAll(/http:\/\/(localhost|127\.0\.0\.1):3000/g, url).replaceAll('dk_…', key);
}
