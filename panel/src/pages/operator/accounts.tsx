import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { Button, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { readPages, useRead } from '../../api/queries.ts';
import { CreateAccount } from '../../features/operator/create-account.tsx';
import { InviteCustomer } from '../../features/operator/invite-customer.tsx';
import { t } from '../../languages/words.ts';
import { paths } from '../../paths.ts';
import { useSearchState } from '../../search-state.ts';
import { EmptyState } from '../../ui/empty-state.tsx';
import { Link, useGo } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Page } from '../../ui/page.tsx';
import { Await } from '../../ui/problem-alert.tsx';
import { TableSkeleton } from '../../ui/skeletons.tsx';
import { StatusBadge } from '../../ui/status-badge.tsx';
import { DataTable } from '../../ui/table/data-table.tsx';
import { LoadMore } from '../../ui/table/load-more.tsx';
import { RelativeTime } from '../../ui/time.tsx';
import { Operators } from './operators.tsx';

/** How long typing must pause before the search starts. */
const typingMs = 250;

export function AccountsPage() {
  const [{ search }, change] = useSearchState();
  const [text, setText] = useState(search ?? '');
  const [creating, setCreating] = useState(false);
  const [inviting, setInviting] = useState(false);
  const signUp = useRead('GET /panel/sign-in', {}).data?.sign_up;
  const go = useGo();
  const tell = useDebouncedCallback((next: string) => change({ search: next }), typingMs);
  const accounts = useInfiniteQuery({
    ...readPages('GET /admin/v1/accounts', { query: { limit: '100', ...(search && { q: search }) } }),
    placeholderData: keepPreviousData,
  });
  const rows = accounts.data?.pages.flatMap((page) => page.data);
  return (
    <Page
      title="Accounts"
      intro="Each account has a balance, keys, jobs and members."
      actions={
        <>
          {signUp && (
            <Button variant="default" onClick={() => setInviting(true)}>
              Invite a customer
            </Button>
          )}
          <Button onClick={() => setCreating(true)}>Create account</Button>
        </>
      }
    >
      <TextInput
        aria-label="Find an account"
        placeholder="Part of a name, or an id"
        maw={360}
        value={text}
        onChange={(event) => {
          setText(event.currentTarget.value);
          tell(event.currentTarget.value);
        }}
      />
      <Await query={{ ...accounts, data: rows }} wait={<TableSkeleton />}>
        {(data) =>
          data.length > 0 ? (
            <>
              <AccountTable accounts={data} />
              <LoadMore query={accounts} />
            </>
          ) : (
            <EmptyState title={search ? 'No account matches' : 'No account yet'}>
              {search
                ? 'Part of a name is enough; an id must be complete.'
                : 'Create one for each customer, team or program that is billed separately.'}
            </EmptyState>
          )
        }
      </Await>
      {/* These links appear once the list above has loaded, because its height is unknown before. */}
      {accounts.data && <Operators />}
      <InviteCustomer opened={inviting} onClose={() => setInviting(false)} />
      <CreateAccount
        opened={creating}
        onClose={() => setCreating(false)}
        onCreated={(account) => go(paths.operatorAccount(account.account_id))}
      />
    </Page>
  );
}

function AccountTable({ accounts }: { accounts: OperatorAccount[] }) {
  return (
    <DataTable
      caption="Accounts"
      rows={accounts}
      rowKey={(account) => account.account_id}
      columns={[
        {
          name: t('Account'),
          cell: (account) => (
            <>
              <Link href={paths.operatorAccount(account.account_id)} className="strong row-link">
                {account.name}
              </Link>
              {account.price_group !== null && <div className="soft tiny">Prices: {account.price_group}</div>}
            </>
          ),
        },
        {
          name: t('Status'),
          cell: (account) => <StatusBadge status={statusOf(account)} />,
        },
        { name: t('Available'), align: 'end', cell: (account) => <Money amount={account.available} /> },
        {
          name: t('Reserved'),
          align: 'end',
          wideOnly: true,
          cell: (account) => <Money amount={account.reserved} />,
        },
        { name: t('API keys'), align: 'end', wideOnly: true, cell: (account) => account.keys },
        { name: t('Members'), align: 'end', wideOnly: true, cell: (account) => account.members },
        {
          name: t('Created'),
          align: 'end',
          wideOnly: true,
          cell: (account) => <RelativeTime at={account.created_at} />,
        },
      ]}
    />
  );
}

function statusOf(account: OperatorAccount): 'active' | 'disabled' | 'erased' {
  if (account.erased_at) return 'erased';
  return account.disabled_at ? 'disabled' : 'active';
}
