import { basename } from 'node:path';
import type { Random } from '../random.ts';
import type { Step } from './read-trace.ts';

type Change = Extract<Step, { kind: 'write' | 'truncate' }> & { step: number };

/** The fate of written, unsynced data when the power fails. */
export const fates = ['kept', 'dropped', 'torn', 'reordered'] as const;
export type Fate = (typeof fates)[number];

// The unit that a disk writes whole or not at all.
const sectorBytes = 512;

/** The files on a disk after each step, with synced data and data that was written but not synced. */
export class Disk {
  #sure: Map<string, Buffer>;
  #onTheirWay: Change[] = [];
  #steps = 0;

  constructor(files: ReadonlyMap<string, Buffer>) {
    this.#sure = new Map(files);
  }

  take(step: Step): void {
    this.#steps += 1;
    if (step.kind === 'write' || step.kind === 'truncate')
      this.#onTheirWay.push({ ...step, step: this.#steps });
    if (step.kind !== 'synced') return;
    const isSure = ({ file, step: number }: Change) => file === basename(step.path) && number <= step.began;
    for (const change of this.#onTheirWay.filter(isSure)) apply(this.#sure, change);
    this.#onTheirWay = this.#onTheirWay.filter((change) => !isSure(change));
  }

  /** The files after a power cut at this moment. */
  cut(fate: Fate, random: Random): Map<string, Buffer> {
    const files = new Map([...this.#sure].map(([file, bytes]) => [file, Buffer.from(bytes)]));
    for (const change of this.#left(fate, random)) apply(files, change);
    return files;
  }

  #left(fate: Fate, random: Random): Change[] {
    const changes = this.#onTheirWay;
    switch (fate) {
      case 'kept':
        return changes;
      case 'dropped':
        return [];
      // Keeps the first writes whole, and the next one in part.
      case 'torn': {
        const whole = random.between(0, changes.length);
        const next = changes[whole];
        const part = next?.kind === 'write' ? [tear(next, random)] : [];
        return [...changes.slice(0, whole), ...part];
      }
      // Keeps any subset of the writes, as if the disk had reordered them.
      case 'reordered':
        return changes.filter(() => random.chance(0.5));
    }
  }
}

function tear(change: Extract<Change, { kind: 'write' }>, random: Random): Change {
  const sectors = random.between(0, Math.ceil(change.bytes.length / sectorBytes));
  return { ...change, bytes: change.bytes.subarray(0, sectors * sectorBytes) };
}

function apply(files: Map<string, Buffer>, change: Change): void {
  const before = files.get(change.file) ?? Buffer.alloc(0);
  if (change.kind === 'truncate') {
    files.set(change.file, resized(before, change.length));
    return;
  }
  const end = change.at + change.bytes.length;
  const after = end > before.length ? resized(before, end) : before;
  change.bytes.copy(after, change.at);
  files.set(change.file, after);
}

function resized(bytes: Buffer, length: number): Buffer {
  return Buffer.concat([bytes.subarray(0, length)], length);
}
