import type { Candidate, Claim, MostRunning } from './decide-claims.ts';

/** The maximum number of jobs of a route, account or key that may already be running when the claims are written. */
export interface Room {
  kind: 'route' | 'account' | 'key';
  id: string;
  most: number;
}

/** Lists the slots that must still be free when these claims are written. Pure. */
export function roomFor(
  claims: readonly Claim[],
  candidates: readonly Candidate[],
  { slots, mostRunning }: { slots: ReadonlyMap<string, number>; mostRunning: MostRunning },
): Room[] {
  const claimed = new Map(claims.map(({ jobId, routeId }) => [jobId, routeId]));
  const rooms = new Map<string, Room>();
  const take = (kind: Room['kind'], id: string, most: number | undefined) => {
    if (most === undefined) return;
    const room = rooms.get(`${kind} ${id}`) ?? { kind, id, most };
    rooms.set(`${kind} ${id}`, { ...room, most: room.most - 1 });
  };
  for (const { id, accountId, keyId } of candidates) {
    const routeId = claimed.get(id);
    if (routeId === undefined) continue;
    take('route', routeId, slots.get(routeId) ?? 0);
    take('account', accountId, mostRunning('account', accountId));
    if (keyId !== accountId) take('key', keyId, mostRunning('key', keyId));
  }
  return [...rooms.values()];
}
