import { partsOfLane } from '../delivery.ts';

export interface LaneLimits {
  perHost: number;
  perAccount: number;
}

/** Gives each free slot to the lane with the fewest running attempts, so that a slow receiver does not delay others. */
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
  // Gives every lane at `level` a slot before any lane gets to `level + 1`.
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
