import { type Load, type Measured, measure, type Target } from './load.ts';

// Turns are short, so that there are many of them and other work on the machine affects both contenders alike.
const seconds = 0.5;
/**
 * Turns that are not counted: in a server's first second, before its code is optimised, requests take twice the
 * processor time.
 */
const warmUps = 10;

export interface Contender {
  name: string;
  target: Target;
  load: Load;
}

/** Measures two contenders in short turns. Returns the second's speed and processor time as shares of the first's. */
export async function measureInTurn(
  say: (line: string) => void,
  [one, other]: readonly [Contender, Contender],
  turns: number,
): Promise<{ speed: number; cpu: number }> {
  const take = ({ target, load }: Contender) => measure(target, { ...load, seconds });
  for (let turn = 0; turn < warmUps; turn += 1) {
    await take(one);
    await take(other);
  }
  const [ofOne, ofOther]: [Measured[], Measured[]] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    // The contenders swap places, because running second may be an advantage.
    if (turn % 2 === 0) ofOne.push(await take(one));
    ofOther.push(await take(other));
    if (turn % 2 === 1) ofOne.push(await take(one));
  }
  say('| | per second | CPU µs per request |\n|---|---|---|');
  for (const [{ name }, list] of [
    [one, ofOne],
    [other, ofOther],
  ] as const) {
    const of = (key: 'perSecond' | 'cpuMicros') => median(list.map((measured) => measured[key]));
    say(`| ${name} | ${Math.round(of('perSecond')).toLocaleString('en')} | ${of('cpuMicros').toFixed(1)} |`);
  }
  const ratio = (key: 'perSecond' | 'cpuMicros') =>
    median(ofOther.map((measured, turn) => measured[key] / (ofOne[turn]?.[key] ?? 1)));
  const share = { speed: ratio('perSecond'), cpu: ratio('cpuMicros') };
  say(`\nratio, median of ${turns} pairs: ${sayShare(share)}\n`);
  return share;
}

export function sayShare({ speed, cpu }: { speed: number; cpu: number }): string {
  return `**${percent(speed)}** of the speed, **${percent(cpu)}** of the processor time`;
}

export function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}

export function median(list: readonly number[]): number {
  return list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)] ?? 0;
}
