import type { Queries } from '../../base/db/schema.ts';
import { defaultOf, type LimitDefaults } from '../../money/limits/limit.ts';
import { readRunningLimits } from '../../money/limits/limit-store.ts';
import type { MostRunning } from './decide-claims.ts';

export async function readMostRunning(queries: Queries, defaults: LimitDefaults): Promise<MostRunning> {
  const own = await readRunningLimits(queries);
  return (kind, id) => {
    const most = own.has(id) ? own.get(id) : defaultOf(defaults, { kind, id }, 'running');
    return most === null || most === undefined ? undefined : Number(most);
  };
}
