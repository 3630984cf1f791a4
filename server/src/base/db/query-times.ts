import { type Meter, secondBounds } from '../metrics/meter.ts';
import { Outdated } from './database.ts';

export interface QueryTimes {
  time<Result>(kind: 'read' | 'transaction', work: () => Promise<Result>): Promise<Result>;
}

export function createQueryTimes(meter: Meter): QueryTimes {
  const seconds = meter.histogram(
    'darkroom_database_seconds',
    'Durations of reads and of whole transactions, including the wait for a connection.',
    ['kind'],
    secondBounds,
  );
  const failed = meter.counter('darkroom_database_failures_total', 'Reads and transactions that failed.', [
    'kind',
  ]);
  return {
    async time(kind, work) {
      const began = performance.now();
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof Outdated)) failed.add([kind]); // the transaction runs again
        throw error;
      } finally {
        seconds.observe((performance.now() - began) / 1000, [kind]);
      }
    },
  };
}
