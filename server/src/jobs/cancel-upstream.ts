import type { Database } from '../db/database.ts';
import type { Provider } from '../providers/provider.ts';
import type { Job } from './job.ts';

/** A route, as far as cancelling needs it. */
export interface Cancellable {
  id: string;
  provider: Pick<Provider, 'cancel'>;
}

/** What was submitted upstream for a job whose result is no longer wanted. */
export type Submitted = Pick<Job, 'route' | 'remoteId'>;

/**
 * Cancels it; an upstream that cannot be told goes on, and may charge for it. False when the route is served by other
 * processes only.
 */
export function cancelUpstream({ route, remoteId }: Submitted, routes: readonly Cancellable[]): boolean {
  if (remoteId === null) return true;
  const own = routes.find(({ id }) => id === route);
  void own?.provider.cancel?.(remoteId).catch(() => {});
  return own !== undefined;
}

/** The same by whichever worker of another process hears of it. */
export function askToCancelUpstream({ route, remoteId }: Submitted, database: Database): void {
  database.notify('abandoned', JSON.stringify({ route, remoteId }));
}

export function cancelUpstreamWhenAsked(database: Database, routes: readonly Cancellable[]): () => void {
  return database.listen('abandoned', (text) => {
    // After a lost connection it is not known what was said.
    if (text !== '') cancelUpstream(JSON.parse(text) as Submitted, routes); // as written above
  });
}
