import type { JobQuery } from '../../../server/src/panel/contract.ts';
import { readPages } from './queries.ts';

/** As many as the server gives at once: a long list in few requests. */
const rowsPerPage = '100';
/** The list is kept fresh by live updates, so coming back to it finds the same place. */
const keepMs = 5 * 60_000;

export function jobPages(accountId: string, filters: JobQuery) {
  const query = { ...filters, limit: rowsPerPage };
  return readPages(
    'GET /panel/accounts/:account_id/jobs',
    { params: { account_id: accountId }, query },
    keepMs,
  );
}
