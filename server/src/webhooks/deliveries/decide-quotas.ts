import { partsOfLane } from './delivery.ts';

export interface LaneLimits {
  /** Attempts at once that go to one host. */
  perHost: number;
  /** Attempts at once of one account. */
  perAccount: number;
}

/**
 * Gives `free` places to lanes that have something due: each place to the lane with the fewest attempts under way, so
 * that whoever waits for a slow receiver holds nobody up. `running` counts attempts by lane, over all processes. Pure.
 */
export function decideQuotas(
  due: readonly string[],
  running: ReadonlyMap<string, number>,
  free: number,
  limits: LaneLimits,
): Map<string, number> {
  const hosts = new Map<string, number>();
  const accounts = new Map<string, number>();
  for (const [lane, count] of running) {
    const { accountId, host } = partsOfLane(lane);
    add(hosts, host, count);
    add(accounts, accountId, count);
  }
  const quotas = new Map<string, number>();
  let open = due.map((lane) => ({ lane, ...partsOfLane(lane), running: running.get(lane) ?? 0 }));
  open.sort((a, b) => a.running - b.running);
  let level = open[0]?.running ?? 0;
  // Level by level: everyone who is at `level` gets one before anyone gets to `level + 1`.
  for (let left = free; left > 0 && open.length > 0; level++) {
    const served = new Set<string>();
    for (const { lane, host, accountId, running } of open) {
      if (left === 0 || running > level) break;
      if ((hosts.get(host) ?? 0) >= limits.perHost || (accounts.get(accountId) ?? 0) >= limits.perAccount)
        continue;
      add(hosts, host, 1);
      add(accounts, accountId, 1);
      add(quotas, lane, 1);
      served.add(lane);
      left -= 1;
    }
    open = open.filter(({ lane, running }) => running > level || served.has(lane));
  }
  return quotas;
}

function add(counts: Map<string, number>, name: string, count: number): void {
  counts.set(name, (counts.get(name) ?? 0) + count);
}
