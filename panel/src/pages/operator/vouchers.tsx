import type { AnswerOf } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readPages, useSend } from '../../api/queries.ts';
import { NewVouchers } from '../../features/money/new-vouchers.tsx';
import { number } from '../../languages/format.ts';
import { t } from '../../languages/words.ts';
import { shortId } from '../../ui/copy.tsx';
import { ConfirmButton } from '../../ui/dialog/confirm-button.tsx';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Money } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { RelativeTime, useNow } from '../../ui/time.tsx';

type Batch = AnswerOf<'GET /admin/v1/vouchers'>['data'][number];

export function VouchersPage() {
  const [making, setMaking] = useState(false);
  const batches = useInfiniteQuery(readPages('GET /admin/v1/vouchers', { query: { limit: '50' } }));
  const rows = batches.data?.pages.flatMap((page) => page.data);
  const make = <Button onClick={() => setMaking(true)}>Make vouchers</Button>;
  return (
    <Page
      title="Vouchers"
      intro="Codes that accounts redeem for credit on their balance page, or by the API."
      actions={rows?.length !== 0 && make}
    >
      <Await query={{ ...batches, data: rows }} wait={<TableSkeleton rows={3} />}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title="No vouchers yet" action={make}>
              Make some for a fair, a course or a friend. Each account redeems a code once.
            </EmptyState>
          ) : (
            <>
              <Table batches={list} />
              <LoadMore query={batches} />
            </>
          )
        }
      </Await>
      <NewVouchers opened={making} onClose={() => setMaking(false)} />
    </Page>
  );
}

function Table({ batches }: { batches: Batch[] }) {
  const now = useNow();
  return (
    <DataTable
      caption="Vouchers"
      rows={batches}
      rowKey={(batch) => batch.voucher_batch_id}
      columns={[
        {
          name: t('Made'),
          cell: (batch) => (
            <>
              <span className="strong">{titleOf(batch)}</span>
              <div className="soft tiny">
                <Money amount={batch.amount} />, <RelativeTime at={batch.created_at} />
              </div>
            </>
          ),
        },
        { name: t('Status'), cell: (batch) => <StatusBadge status={statusOf(batch, now)} /> },
        { name: t('Redeemed'), align: 'end', cell: (batch) => <Redeemed batch={batch} /> },
        {
          name: t('End'),
          align: 'end',
          wideOnly: true,
          cell: ({ expires_at: end }) =>
            end === null ? <span className="soft">never</span> : <RelativeTime at={end} />,
        },
        {
          name: t('Actions'),
          quiet: true,
          align: 'end',
          cell: (batch) => batch.withdrawn_at === null && <Withdraw batch={batch} />,
        },
      ]}
    />
  );
}

function Redeemed({ batch: { redeemed, count, uses } }: { batch: Batch }) {
  const most = number(count * uses);
  return (
    <>
      <span className="number nowrap">
        {number(redeemed)} of {most}
      </span>
      {uses > 1 && (
        <div className="soft tiny nowrap">
          {t(
            '{count, plural, one {# code} other {# codes}}, {uses, plural, one {# use} other {# uses}} each',
            {
              count,
              uses,
            },
          )}
        </div>
      )}
    </>
  );
}

function titleOf({ name, voucher_batch_id }: Batch): string {
  return name ?? shortId(voucher_batch_id);
}

function statusOf({ withdrawn_at, expires_at: end }: Batch, now: number) {
  if (withdrawn_at !== null) return 'withdrawn';
  return end !== null && Date.parse(end) <= now ? 'expired' : 'active';
}

function Withdraw({ batch }: { batch: Batch }) {
  const { voucher_batch_id, count, uses, redeemed } = batch;
  const withdraw = useSend('DELETE /admin/v1/vouchers/:voucher_batch_id', ['GET /admin/v1/vouchers']);
  return (
    <ConfirmButton
      label="Withdraw"
      name={`Withdraw ${titleOf(batch)}`}
      title={`Withdraw ${titleOf(batch)}?`}
      action="Withdraw vouchers"
      sending={withdraw}
      onConfirm={() => withdraw.mutate({ params: { voucher_batch_id } })}
    >
      Nobody redeems {number(count * uses - redeemed)} of them any more. What was redeemed stays.
    </ConfirmButton>
  );
}
