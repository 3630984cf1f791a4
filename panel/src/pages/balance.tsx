import type { Balance, EntryKind } from '@darkroom/server/panel-contract';
import { NativeSelect, Skeleton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useAccountId, useRights } from '../api/account.ts';
import { readPages, useRead } from '../api/queries.ts';
import { linkOf } from '../api/send.ts';
import { useSession } from '../api/session.ts';
import { OwnAlerts } from '../features/limits/own-alerts.tsx';
import { OwnLimits } from '../features/limits/own-limits.tsx';
import { kindWords } from '../features/money/entry-table.tsx';
import { LedgerTable } from '../features/money/ledger-table.tsx';
import { RedeemVoucher } from '../features/money/redeem-voucher.tsx';
import { Statements } from '../features/money/statements.tsx';
import { AddCredit } from '../features/payments/add-credit.tsx';
import { OwnTopUp } from '../features/payments/own-top-up.tsx';
import { PaymentNotice } from '../features/payments/payment-notice.tsx';
import { t } from '../languages/words.ts';
import { paths } from '../paths.ts';
import { useSearchState } from '../search-state.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { DownloadButton, Link } from '../ui/link.tsx';
import { Money } from '../ui/money.tsx';
import { Notice } from '../ui/notice.tsx';
import { Page, Section } from '../ui/page.tsx';
import { Await } from '../ui/problem-alert.tsx';
import { TableSkeleton } from '../ui/skeletons.tsx';
import { LoadMore } from '../ui/table/load-more.tsx';
import classes from './balance.module.css';

export function BalancePage() {
  const params = { account_id: useAccountId() };
  const rights = useRights();
  return (
    <Page
      title="Balance"
      intro="Prepaid. A job reserves its price when it is accepted, is charged when it is done, and costs nothing when it fails."
      actions={
        <>
          {rights.includes('set_alerts') && <RedeemVoucher />}
          {rights.includes('set_alerts') && <AddCredit />}
          <DownloadButton href={linkOf('GET /api/v1/entries.csv', { params })}>Download CSV</DownloadButton>
        </>
      }
    >
      <PaymentNotice />
      <Formula />
      <OwnTopUp />
      <OwnLimits />
      <OwnAlerts />
      <Statements />
      <Ledger />
    </Page>
  );
}

function Formula() {
  const params = { account_id: useAccountId() };
  const balance = useRead('GET /api/v1/balance', { params });
  return (
    <Await query={balance} wait={<Waiting />}>
      {(data) => <Sums {...data} accountId={params.account_id} />}
    </Await>
  );
}

/** A placeholder as tall as the sums will be, even if they wrap. */
function Waiting() {
  return (
    <Skeleton aria-busy>
      <Sums balance="100.00" reserved="0.00" available="100.00" accountId={useAccountId()} />
    </Skeleton>
  );
}

function Sums({ balance, reserved, available, debt, accountId }: Balance & { accountId: string }) {
  const { operator } = useSession();
  return (
    <div className="stack tight">
      {debt !== undefined && (
        <Notice tone="bad" title={`The account owes ${debt}`}>
          <p>
            A payment was taken back after it had been spent. The next credit pays it first; until then no
            images are made.
          </p>
        </Notice>
      )}
      <div className={classes.formula}>
        <Term name="Balance" amount={balance} />
        <Term sign="−" name="Reserved for unfinished jobs" amount={reserved} />
        <Term sign="=" name="Available to spend" amount={available} strong />
      </div>
      <p className="soft small">
        {operator ? (
          <>
            Operators credit accounts on the{' '}
            <Link href={paths.operatorAccount(accountId)}>page of the account</Link>.
          </>
        ) : (
          'An operator of this installation adds credit to the account, or gives you a voucher.'
        )}
      </p>
    </div>
  );
}

function Term(props: { sign?: string; name: string; amount: string; strong?: boolean }) {
  return (
    <div className={classes.part}>
      {props.sign && <span>{props.sign}</span>}
      <p className={classes.term} data-strong={props.strong || undefined}>
        <span>{props.name}</span> <Money amount={props.amount} />
      </p>
    </div>
  );
}

function Ledger() {
  const accountId = useAccountId();
  const [search, change] = useSearchState();
  const kind = Object.keys(kindWords).find((one): one is EntryKind => one === search.kind);
  const entries = useInfiniteQuery(
    readPages('GET /api/v1/entries', {
      params: { account_id: accountId },
      query: { limit: '50', include: 'prompt', ...(kind && { kind }) },
    }),
  );
  const rows = entries.data?.pages.flatMap((page) => page.data);
  return (
    <Section
      title="Ledger"
      hint="Entries are never changed or deleted"
      actions={
        <NativeSelect
          size="xs"
          aria-label="Kind of entry"
          value={kind ?? ''}
          onChange={(event) => change({ kind: event.currentTarget.value })}
          data={[
            { value: '', label: t('All kinds') },
            ...Object.entries(kindWords).map(([value, label]) => ({ value, label })),
          ]}
        />
      }
    >
      <Await query={{ ...entries, data: rows }} wait={<TableSkeleton rows={10} />}>
        {(list) =>
          list.length === 0 ? (
            <EmptyState title={kind ? 'No entries of this kind' : 'No entries yet'}>
              Credits and jobs are listed here, each with the balance right after it. They add up to the
              balance above.
            </EmptyState>
          ) : (
            <>
              <LedgerTable entries={list} accountId={accountId} />
              <LoadMore query={entries} />
            </>
          )
        }
      </Await>
    </Section>
  );
}
