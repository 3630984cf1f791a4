import type { AnswerOf } from '@darkroom/server/panel-contract';
import type { ReactNode } from 'react';
import { t } from '../../languages/words.ts';
import { Money } from '../../ui/money.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { type Column, DataTable } from '../../ui/table/data-table.tsx';
import { RelativeTime } from '../../ui/time.tsx';

type Payment = AnswerOf<'GET /api/v1/payments'>['data'][number];

const statuses = { open: 'pending', paid: 'paid', failed: 'failed', unclaimed: 'unclaimed' } as const;

export function PaymentTable<Row extends Payment>(props: {
  payments: Row[];
  account?: (payment: Row) => ReactNode;
}) {
  const { account } = props;
  const whose: Column<Row>[] = account ? [{ name: t('Account'), cell: account }] : [];
  return (
    <DataTable
      caption="Payments"
      rows={props.payments}
      rowKey={(payment) => payment.payment_id}
      columns={[
        ...whose,
        {
          name: t('Amount'),
          align: 'end',
          cell: ({ amount, created_at }) => (
            <>
              <Money amount={amount} />
              <div className="soft tiny nowrap">
                <RelativeTime at={created_at} />
              </div>
            </>
          ),
        },
        { name: t('Status'), cell: ({ status }) => <StatusBadge status={statuses[status]} /> },
        { name: t('Returned'), align: 'end', cell: (payment) => <Reversed payment={payment} /> },
        {
          name: t('Reference'),
          align: 'end',
          wideOnly: true,
          cell: ({ reference }) => reference !== null && <code className="tiny">{reference}</code>,
        },
      ]}
    />
  );
}

const words = {
  refund: { taken: t('refunded'), returned: t('a refund failed') },
  dispute: { taken: t('disputed'), returned: t('a dispute was won') },
};

function Reversed({ payment: { reversed, reversals } }: { payment: Payment }) {
  if (reversals.length === 0) return <span className="soft">–</span>;
  const what = new Set(reversals.map(({ kind, status }) => words[kind][status]));
  return (
    <>
      <Money amount={reversed} />
      <div className="soft tiny">{[...what].join(', ')}</div>
    </>
  );
}
