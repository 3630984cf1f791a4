import type { JobQuery } from '@darkroom/server/panel-contract';
import { readPages } from './queries.ts';

/** The server's maximum, to read long lists in few requests. */
const rowsPerPage = '100';
/** More jobs than *Make* shows, because some images may have been deleted. */
const rowsOfMake = '24';
/** A list stays cached for this time after the user leaves it. Live updates keep the list fresh. */
const keepMs = 5 * 60_000;

export const promptLength = '200';

export function jobPages(accountId: string, filters: JobQuery, limit = rowsPerPage) {
  const query = { ...filters, limit, prompt_length: promptLength };
  return readPages('GET /api/v1/jobs', { params: { account_id: accountId }, query }, keepMs);
}

/** The two lists that *Make* merges: jobs created in the panel, and jobs that are done. */
export function ownJobPages(accountId: string) {
  return {
    asked: jobPages(accountId, { key_id: 'panel' }, rowsOfMake),
    done: jobPages(accountId, { status: 'done' }, rowsOfMake),
  };
}
