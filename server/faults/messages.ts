import type { Moment, ObjectsMood, ProviderMood, ReceiverMood, StoreMood, TransactionKind } from './plan.ts';

export type Order =
  | { order: 'store'; mood: StoreMood; ms: number }
  | { order: 'objects'; mood: ObjectsMood; ms: number }
  | { order: 'provider'; mood: ProviderMood; ms: number }
  | { order: 'receiver'; mood: ReceiverMood; ms: number }
  | { order: 'block'; ms: number }
  | { order: 'die-at-commit'; transaction: TransactionKind; moment: Moment };

export interface Ready {
  ready: true;
  url: string | null;
}

export function obeyHarness(obey: (order: Order) => void): void {
  process.on('message', (message) => obey(message as Order)); // only the harness writes to this channel
  process.on('disconnect', () => process.exit(0));
}

export function sayReady(url: string | null): void {
  process.send?.({ ready: true, url } satisfies Ready);
}
