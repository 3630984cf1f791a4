import { availableParallelism } from 'node:os';
import { processorPressure } from '../../base/std/lateness/processor-pressure.ts';
import type { Finding } from './finding.ts';

/** If programs wait for a processor for a larger share of the time, everything measured in milliseconds looks slow. */
const busyShare = 0.25;

export function isBusy(pressure: number | undefined): boolean {
  return pressure !== undefined && pressure >= busyShare;
}

/** Reports a shortage of processors, which makes the database look slow. */
export function checkProcessor(pressure = processorPressure()): Finding {
  const name = 'processor';
  const count = availableParallelism();
  const processors = `${count} processor${count === 1 ? '' : 's'}`;
  if (pressure === undefined) return { name, status: 'ok', found: processors };
  const found = `${processors}, something waited for one in ${Math.round(pressure * 100)} % of the last minute`;
  if (!isBusy(pressure)) return { name, status: 'ok', found };
  return {
    name,
    status: 'warn',
    found,
    next: 'give the machine more processors, or run less on it: a shortage delays everything on it, including databases',
  };
}
