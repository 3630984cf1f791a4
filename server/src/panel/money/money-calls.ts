import { csv } from '../../api/csv.ts';
import { type Change, changeOf } from '../../ledger/entry.ts';
import { listEntriesAfter } from '../../ledger/entry-page-store.ts';
import { formatMicros } from '../../ledger/money.ts';
import { toIso } from '../../std/iso-time.ts';
import { type PanelCall, panelCall } from '../panel-call.ts';
import type { PanelDeps } from '../panel-deps.ts';

const csvPageSize = 1_000;

/** What pages link to of the ledger: links send no headers. */
export function moneyCalls(deps: PanelDeps): PanelCall[] {
  return [
    panelCall('GET /panel/accounts/:account_id/entries.csv', {
      async handle({ params }) {
        const header = [
          'entry_id',
          'created_at',
          'kind',
          'amount',
          'balance_change',
          'reserved_change',
          'balance_after',
          'reserved_after',
          'job_id',
          'reason',
        ];
        return csv('entries.csv', header, entryRows(deps, params.account_id));
      },
    }),
  ];
}

async function* entryRows({ database, ids }: PanelDeps, accountId: string) {
  let sum: Change = { balance: 0n, reserved: 0n };
  for (let after = 0; ; ) {
    const entries = await listEntriesAfter(database.reports, { accountId, after, limit: csvPageSize });
    for (const entry of entries) {
      const change = changeOf(entry);
      sum = { balance: sum.balance + change.balance, reserved: sum.reserved + change.reserved };
      yield [
        ...[
          ids.seal('entry', entry.id),
          toIso(entry.createdAt),
          entry.kind,
          formatMicros(entry.amountMicros),
        ],
        ...[change.balance, change.reserved, sum.balance, sum.reserved].map(formatMicros),
        ...[entry.jobId, entry.reason],
      ];
    }
    after = entries.at(-1)?.id ?? after;
    if (entries.length < csvPageSize) return;
  }
}
