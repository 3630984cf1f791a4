import { toIso } from '../../../../base/std/iso-time.ts';
import { type Change, changeOf } from '../../../../money/ledger/entry.ts';
import { listEntriesAfter } from '../../../../money/ledger/entry-page-store.ts';
import { formatMicros } from '../../../../money/ledger/money.ts';
import { accountCall } from '../../account-call.ts';
import { csv } from '../../csv.ts';
import { streamed } from '../../streamed.ts';
import type { EntryDeps } from './entry-calls.ts';

const pageSize = 1_000;

const header = [
  ...['entry_id', 'created_at', 'kind', 'amount', 'balance_change', 'reserved_change'],
  ...['balance_after', 'reserved_after', 'job_id', 'reason'],
];

export function entryTableCall(deps: EntryDeps) {
  return accountCall({
    tag: 'Money',
    operationId: 'downloadEntryTable',
    summary: 'Download the entries of the ledger as a table',
    description: 'CSV: every entry, oldest first, with the balance right after it.',
    replyType: 'text/csv',
    reply: streamed,
    handle: ({ accountId }) => csv('entries.csv', header, entryRows(deps, accountId)),
  });
}

async function* entryRows({ database, ids }: EntryDeps, accountId: string) {
  let sum: Change = { balance: 0n, reserved: 0n };
  for (let after = 0; ; ) {
    const entries = await listEntriesAfter(database.reports, { accountId, after, limit: pageSize });
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
    if (entries.length < pageSize) return;
  }
}
