import { useInfiniteQuery } from '@tanstack/react-query';
import { readPages } from '../../api/queries.ts';
import { Section } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { PaymentTable } from './payment-table.tsx';

export function AccountPayments({ accountId }: { accountId: string }) {
  const params = { account_id: accountId };
  const payments = useInfiniteQuery(readPages('GET /api/v1/payments', { params, query: { limit: '10' } }));
  const rows = payments.data?.pages.flatMap((page) => page.data);
  return (
    <Await query={{ ...payments, data: rows }}>
      {(list) =>
        list.length > 0 && (
          <Section title="Payments">
            <PaymentTable payments={list} />
            <LoadMore query={payments} />
          </Section>
        )
      }
    </Await>
  );
}
