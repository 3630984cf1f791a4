import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Mutant } from './find-mutants.ts';

interface Argued extends Pick<Mutant, 'file' | 'change'> {
  /** The line that the mutant changes. */
  code: string;
  why: string;
}

const list: Argued[] = JSON.parse(readFileSync(join(import.meta.dirname, 'argued.json'), 'utf8'));

/**
 * Separates mutants that tests must notice from those that argued.json explains. Also returns its explanations for
 * mutants that no longer exist.
 */
export function divideArgued(mutants: readonly Mutant[]) {
  const places = new Map<string, Argued>(list.map((argued) => [keyOf(argued, argued.code), argued]));
  const found = new Set<string>();
  const open = mutants.filter((mutant) => {
    const key = keyOf(mutant, codeOf(mutant));
    if (!places.has(key)) return true;
    found.add(key);
    return false;
  });
  const unknown = [...places].filter(([key]) => !found.has(key)).map(([, argued]) => argued);
  return { open, argued: mutants.length - open.length, unknown };
}

export function codeOf({ file, line }: Mutant): string {
  return readFileSync(file, 'utf8').split('\n')[line - 1]?.trim() ?? '';
}

function keyOf({ file, change }: Pick<Mutant, 'file' | 'change'>, code: string): string {
  return JSON.stringify([file, code, change]);
}
