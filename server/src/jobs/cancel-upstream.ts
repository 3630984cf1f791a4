import type { Database } from '../db/database.ts';
import type { Provider } from '../providers/provider.ts';
import type { Job } from './job.ts';

/** The parts of a route that cancelling needs. */
export interface Cancellable {
  id: string;
  provider: Pick<Provider, 'cancel'>;
}

/** What was submitted upstream for a job whose result is no longer wanted. */
export type Submitted = Pick<Job, 'route' | 'remoteId'>;

/**
 * Cancels a submitted request. A failed cancel is ignored; the upstream may then finish and charge. Returns
 * false when only other processes serve the route.
 */
export function cancelUpstream({ route, remoteId }: Submitted, routes: readonly Cancellable[]): boolean {
  if (remoteId === null) return true;
  const own = routes.find(({ id }) => id === route);
  void own?.provider.cancel?.(remoteId).catch(() => {});
  return own !== undefined;
}

/** Notifies the other processes; one that serves the route cancels the request. */
export function askToCancelUpstream({ route, remoteId }: Submitted, database: Database): void {
  database.notify('abandoned', JSON.stringify({ route, remoteId }));
}

export function cancelUpstreamWhenAsked(database: Database, routes: readonly Cancellable[]): () => void {
  return database.listen('abandoned', (text) => {
    // An empty payload means that the connection was lost and notifications may have been missed.
    if (text !== '') cancelUpstream(JSON.parse(text) as Submitted, routes); // as written above
  });
}
