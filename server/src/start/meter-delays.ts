import type { Meter } from '../base/metrics/meter.ts';
import { ownDelay } from '../base/std/lateness/own-delay.ts';
import { processorPressure } from '../base/std/lateness/processor-pressure.ts';

// As long as most installations wait between two scrapes, at least in part.
const windowMs = 15_000;

/** Measures a process that is late by itself apart from a slow database. */
export function meterDelays(meter: Meter): void {
  meter.reading(
    'darkroom_own_delay_ratio',
    'Share of the last 15 s in which this process was late by itself: its own long turns, or processors that others had.',
    [],
    () => [[ownDelay.shareOf(windowMs), []]],
  );
  meter.reading(
    'darkroom_processor_pressure_ratio',
    'Share of the last minute in which something of the machine waited for a processor. Only where Linux measures it.',
    [],
    () => {
      const share = processorPressure();
      return share === undefined ? [] : [[share, []]];
    },
  );
}
