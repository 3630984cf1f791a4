import type { Database } from '../db/database.ts';
import type { Job } from './job.ts';
import type { Route } from './route.ts';

/** What was submitted upstream for a job that is nobody's any more. */
export type Submitted = Pick<Job, 'route' | 'remoteId'>;

/**
 * Cancels it; an upstream that cannot be told goes on, and costs what it costs. False when the route is served by other
 * processes only.
 */
export function cancelUpstream({ route, remoteId }: Submitted, routes: readonly Route[]): boolean {
  if (remoteId === null) return true;
  const own = routes.find(({ id }) => id === route);
  void own?.provider.cancel?.(remoteId).catch(() => {});
  return own !== undefined;
}

/** The same by whichever worker of another process hears of it. */
export function askToCancelUpstream({ route, remoteId }: Submitted, database: Database): void {
  database.notify('abandoned', JSON.stringify({ route, remoteId }));
}

export function cancelUpstreamWhenAsked(database: Database, routes: readonly Route[]): () => void {
  return database.listen('abandoned', (text) => {
    // After a lost connection nobody knows what was said.
    if (text !== '') cancelUpstream(JSON.parse(text) as Submitted, routes); // as written above
  });
}
