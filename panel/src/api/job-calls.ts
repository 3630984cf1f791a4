import type { JobQuery } from '@darkroom/server/panel-contract';
import { readPages } from './queries.ts';

/** The server's maximum, to read long lists in few requests. */
const rowsPerPage = '100';
/** The number of jobs read for *Make*, more than it shows, because some images may have been deleted. */
const rowsOfMake = '24';
/** The time for which a list is reused when the user returns to it. Live updates keep it fresh. */
const keepMs = 5 * 60_000;

/** The number of a prompt's characters that lists show. */
export const promptLength = '200';

export function jobPages(accountId: string, filters: JobQuery, limit = rowsPerPage) {
  const query = { ...filters, limit, prompt_length: promptLength };
  return readPages('GET /api/v1/jobs', { params: { account_id: accountId }, query }, keepMs);
}

/** Lists the jobs that *Make* shows: those created in the panel, and those that are done. */
export function ownJobPages(accountId: string) {
  return {
    asked: jobPages(accountId, { key_id: 'panel' }, rowsOfMake),
    done: jobPages(accountId, { status: 'done' }, rowsOfMake),
  };
}
