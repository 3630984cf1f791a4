import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/queries.ts';
import { PaymentKeys } from '../../features/payments/payment-keys.tsx';
import { PaymentTable } from '../../features/payments/payment-table.tsx';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Page, Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';

export function PaymentsPage() {
  const payments = useInfiniteQuery(readPages('GET /admin/v1/payments', { query: { limit: '50' } }));
  const rows = payments.data?.pages.flatMap((page) => page.data);
  return (
    <Page
      title="Payments"
      intro="Payments that accounts made themselves. Refund them at the payment provider; the balance follows."
      actions={<Link href={paths.owed()}>Owed to accounts</Link>}
    >
      <Owing />
      <Await query={{ ...payments, data: rows }} wait={<TableSkeleton />}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title="No payments yet">
              Once payments are on, people add credit on their balance page.
            </EmptyState>
          ) : (
            <>
              <PaymentTable
                payments={list}
                account={({ account_id, account }) => (
                  <Link href={paths.operatorAccount(account_id)} className="strong">
                    {account}
                  </Link>
                )}
              />
              <LoadMore query={payments} />
            </>
          )
        }
      </Await>
      {payments.data && <PaymentKeys />}
    </Page>
  );
}

function Owing() {
  const owing = useInfiniteQuery(
    readPages('GET /admin/v1/accounts', { query: { owing: 'true', limit: '50' } }),
  );
  const rows = owing.data?.pages.flatMap((page) => page.data);
  return (
    <Await query={{ ...owing, data: rows }}>
      {(accounts) =>
        accounts.length > 0 && (
          <Section
            title="Accounts that owe"
            hint="More was refunded than they had; their next credits pay it"
          >
            <DebtTable accounts={accounts} />
            <LoadMore query={owing} />
          </Section>
        )
      }
    </Await>
  );
}

function DebtTable({ accounts }: { accounts: OperatorAccount[] }) {
  return (
    <DataTable
      caption="Accounts that owe"
      rows={accounts}
      rowKey={(account) => account.account_id}
      columns={[
        {
          name: t('Account'),
          cell: ({ account_id, name }) => (
            <Link href={paths.operatorAccount(account_id)} className="strong">
              {name}
            </Link>
          ),
        },
        { name: t('Owes'), align: 'end', cell: ({ debt = '0.00' }) => <Money amount={debt} /> },
        { name: t('Balance'), align: 'end', cell: ({ balance }) => <Money amount={balance} /> },
      ]}
    />
  );
}
