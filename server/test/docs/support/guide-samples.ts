import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { readMarkdown } from '../../../src/web/api/docs/markdown.ts';
import { guides as ofPrograms } from '../../http/support/guide-blocks.ts';

const root = join(import.meta.dirname, '../../../..');

export interface Sample {
  guide: string;
  language: string;
  code: string;
}

/** Samples of the operators' guides and of guides about single subjects. */
export const samples: readonly Sample[] = globSync('docs/{guides,providers}/*.md', { cwd: root })
  .sort()
  .map((file) => ({ guide: basename(file, '.md'), file }))
  .filter(
    ({ file, guide }) => file.includes('providers') || !(ofPrograms as readonly string[]).includes(guide),
  )
  .flatMap(({ guide, file }) =>
    readMarkdown(readFileSync(join(root, file), 'utf8')).flatMap((block) =>
      block.kind === 'code' ? [{ guide, language: block.language, code: block.code }] : [],
    ),
  );

export function sampleOf(start: string): string {
  const [sample, ...others] = samples.filter(({ code }) => code.startsWith(start));
  assert.ok(sample && others.length === 0, `there is not one sample that begins with ${start}`);
  return sample.code.trimEnd();
}

export function missing(program: string, asked = '--version'): string | false {
  return spawnSync(program, [asked]).status !== 0 && `NOT TESTED: no ${program}`;
}
