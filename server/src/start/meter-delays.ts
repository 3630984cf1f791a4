import type { Meter } from '../base/metrics/meter.ts';
import { ownDelay } from '../base/std/lateness/own-delay.ts';
import { processorPressure } from '../base/std/lateness/processor-pressure.ts';

const windowMs = 15_000;

/** Meters delays by which operators can tell a slow process from a slow database. */
export function meterDelays(meter: Meter): void {
  meter.reading(
    'darkroom_own_delay_ratio',
    'Share of the last 15 s in which this process was late, through long turns of its event loop or lack of a processor.',
    [],
    () => [[ownDelay.shareOf(windowMs), []]],
  );
  meter.reading(
    'darkroom_processor_pressure_ratio',
    'Share of the last minute in which a task on the machine waited for a processor. Only on Linux with pressure information.',
    [],
    () => {
      const share = processorPressure();
      return share === undefined ? [] : [[share, []]];
    },
  );
}
