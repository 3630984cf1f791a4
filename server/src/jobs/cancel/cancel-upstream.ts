import type { Database } from '../../base/db/database.ts';
import type { Provider } from '../../upstream/providers/provider.ts';
import type { Job } from '../job.ts';

/** The parts of a route that cancelling needs. */
export interface Cancellable {
  id: string;
  provider: Pick<Provider, 'cancel'>;
}

/** The upstream request of a job whose result is no longer wanted. */
export type Submitted = Pick<Job, 'route' | 'remoteId'>;

interface CancelUpstreamDeps {
  database: Database;
  /** The routes with their providers; empty in a process without workers. */
  routes: { list(): readonly Cancellable[] };
}

/**
 * Cancels a submitted request, from here or from a process that serves its route. A failed cancel is ignored;
 * the upstream may then finish and charge.
 */
export function cancelUpstream(submitted: Submitted, { database, routes }: CancelUpstreamDeps): void {
  if (submitted.remoteId === null || cancelFromHere(submitted, routes.list())) return;
  database.notify('abandoned', JSON.stringify({ route: submitted.route, remoteId: submitted.remoteId }));
}

export function listenForUpstreamCancels({ database, routes }: CancelUpstreamDeps): () => void {
  return database.listen('abandoned', (text) => {
    // An empty payload means that the connection was lost and notifications may have been missed.
    if (text !== '') cancelFromHere(JSON.parse(text) as Submitted, routes.list()); // as written above
  });
}

/** Returns false when this process does not serve the route. */
function cancelFromHere({ route, remoteId }: Submitted, routes: readonly Cancellable[]): boolean {
  const own = routes.find(({ id }) => id === route);
  if (remoteId !== null) void own?.provider.cancel?.(remoteId).catch(() => {});
  return own !== undefined;
}
