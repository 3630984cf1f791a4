import type { Call, Family } from './calls.ts';
import { families } from './calls.ts';
import type { Turn } from './watch-server.ts';

export type Kind = 'rights' | 'foreign ids' | 'bodies';
const kinds: readonly Kind[] = ['rights', 'foreign ids', 'bodies'];

export class Report {
  /** Faults by call, with the callers that found them. */
  readonly #wrongs = new Map<string, Set<string>>();
  readonly #tries = new Map<string, number>();
  readonly #calls = new Map<Family, Set<string>>();

  tried({ family, name }: Call, kind: Kind): void {
    const key = `${family} ${kind}`;
    this.#tries.set(key, (this.#tries.get(key) ?? 0) + 1);
    this.#calls.set(family, (this.#calls.get(family) ?? new Set()).add(name));
  }

  wrong(what: string, call?: Call, to?: string): void {
    const key = call ? `${call.name} ${what}` : what;
    const names = this.#wrongs.get(key) ?? new Set();
    this.#wrongs.set(key, to === undefined ? names : names.add(to));
  }

  get wrongs(): string[] {
    return [...this.#wrongs].map(([what, to]) => (to.size > 0 ? `${what} (${[...to].join(', ')})` : what));
  }

  format(crashes: readonly string[], turns: readonly Turn[]): string {
    const rows = families.map((family) => [
      family,
      this.#calls.get(family)?.size ?? 0,
      ...kinds.map((kind) => this.#tries.get(`${family} ${kind}`) ?? 0),
    ]);
    const table = [['API', 'calls', ...kinds], ...rows].map((row) =>
      row.map((cell, at) => (at === 0 ? String(cell).padEnd(8) : String(cell).padStart(12))).join(''),
    );
    const longest = turns.map(({ ms, during }) => `${ms.toFixed(1)} ms in ${during.join(', ')}`);
    return [
      ...table,
      ...section('Longest turns of the loop', longest),
      ...section('Wrong', this.wrongs),
      ...section('Crashes', crashes),
      '',
      summaryOf(crashes.length, this.wrongs.length, turns[0]?.ms ?? 0),
    ].join('\n');
  }
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', `${title}:`, ...lines.map((line) => `  ${line}`)];
}

function summaryOf(crashes: number, wrongs: number, longestMs: number): string {
  return `${crashes} crashes, ${wrongs} wrong rights, longest turn of the loop ${Math.ceil(longestMs)} ms`;
}
