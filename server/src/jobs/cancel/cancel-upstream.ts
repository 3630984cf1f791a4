import type { Database } from '../../base/db/database.ts';
import type { Provider } from '../../upstream/providers/provider.ts';
import type { Job } from '../job.ts';

export interface Cancellable {
  id: string;
  provider: Pick<Provider, 'cancel'>;
}

/** The upstream request of a job whose result is no longer wanted. */
export type Submitted = Pick<Job, 'route' | 'remoteId'>;

interface CancelUpstreamDeps {
  database: Database;
  /** This process's routes; empty if it has no workers. */
  routes: { list(): readonly Cancellable[] };
}

/** Cancels the request here, or in a process that serves its route. If that fails, the upstream may charge for it. */
export function cancelUpstream(
  { route, remoteId }: Submitted,
  { database, routes }: CancelUpstreamDeps,
): void {
  if (remoteId === null || cancelFromHere({ route, remoteId }, routes.list())) return;
  database.notify('abandoned', JSON.stringify({ route, remoteId }));
}

export function listenForUpstreamCancels({ database, routes }: CancelUpstreamDeps): () => void {
  return database.listen('abandoned', (text) => {
    // An empty payload means that the connection was lost and notifications may have been missed.
    if (text !== '') cancelFromHere(JSON.parse(text) as Known, routes.list()); // `cancelUpstream` wrote it
  });
}

type Known = Pick<Submitted, 'route'> & { remoteId: string };

function cancelFromHere({ route, remoteId }: Known, routes: readonly Cancellable[]): boolean {
  const own = routes.find(({ id }) => id === route);
  void own?.provider.cancel?.(remoteId).catch(() => {});
  return own !== undefined;
}
