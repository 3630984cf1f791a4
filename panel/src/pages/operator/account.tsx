import type { OperatorAccount } from '@darkroom/server/panel-contract';
import { Button } from '@mantine/core';
import { useState } from 'react';
import { useAccountId } from '../../api/account.ts';
import { type ReadCall, useRead, useSend } from '../../api/queries.ts';
import { AccountLimits } from '../../features/limits/account-limits.tsx';
import { AccountPrices } from '../../features/money/account-prices.tsx';
import { CreditAccount } from '../../features/money/credit-account.tsx';
import { DisableAccount } from '../../features/operator/disable-account.tsx';
import { whyErased } from '../../features/operator/why-erased.ts';
import { AccountPayments } from '../../features/payments/account-payments.tsx';
import { ConfirmEmail } from '../../features/people/confirm-email.tsx';
import { DeletePerson } from '../../features/people/delete-person.tsx';
import { Members } from '../../features/people/members.tsx';
import { PersonLink } from '../../features/people/person-link.tsx';
import { RemoveMember } from '../../features/people/remove-member.tsx';
import { ChangeRetention } from '../../features/retention/change-retention.tsx';
import { Retention } from '../../features/retention/retention.tsx';
import { paths } from '../../paths.ts';
import { Id } from '../../ui/copy.tsx';
import { Fact, Facts, Figure, Figures } from '../../ui/figures/figures.tsx';
import { Link } from '../../ui/link.tsx';
import { Money } from '../../ui/money.tsx';
import { Notice } from '../../ui/notice.tsx';
import { Page } from '../../ui/page.tsx';
import { Await, ProblemAlert } from '../../ui/problem-alert.tsx';
import { FiguresSkeleton } from '../../ui/skeletons.tsx';
import { RelativeTime } from '../../ui/time.tsx';

const outdated: ReadCall[] = [
  'GET /admin/v1/accounts',
  'GET /admin/v1/accounts/:account',
  'GET /panel/session',
];

export function AccountPage() {
  const params = { account: useAccountId() };
  const account = useRead('GET /admin/v1/accounts/:account', { params });
  return (
    <Page
      title={account.data?.name ?? 'Account'}
      intro={<Link href={paths.operatorAccounts()}>All accounts</Link>}
      actions={account.data && !account.data.erased_at && <Actions account={account.data} />}
    >
      <Await query={account} wait={<FiguresSkeleton count={3} />}>
        {(data) => (
          <div className="stack wide">
            {data.erased_at && (
              <Notice tone="warn" title="This account was erased">
                <p>
                  Since <RelativeTime at={data.erased_at} beside />, for good: it is never enabled, credited
                  or used again. Its ledger stays.
                </p>
              </Notice>
            )}
            {data.disabled_at && !data.erased_at && (
              <Notice tone="warn" title="This account is disabled">
                <p>
                  {data.disabled_reason} Since <RelativeTime at={data.disabled_at} beside />. Its keys are
                  refused; jobs under way finish and are settled.
                </p>
              </Notice>
            )}
            <Figures>
              <Figure name="Balance">
                <Money amount={data.balance} />
              </Figure>
              <Figure name="Reserved">
                <Money amount={data.reserved} />
              </Figure>
              <Figure name="Available">
                <Money amount={data.available} />
              </Figure>
              {data.debt !== undefined && (
                <Figure name="Owes" hint="Its next credits pay this first">
                  <Money amount={data.debt} />
                </Figure>
              )}
            </Figures>
            <div className="card padded">
              <Facts>
                <Fact name="Id">
                  <Id id={data.account_id} what="account id" />
                </Fact>
                <Fact name="Created">
                  <RelativeTime at={data.created_at} beside />
                </Fact>
                <Fact name="Prices">
                  <AccountPrices account={data} />
                </Fact>
                <Fact name="API keys">
                  <Link href={paths.keys(data.account_id)}>{data.keys}</Link>
                </Fact>
                <Fact name="See">
                  <span className="row">
                    <Link href={paths.home(data.account_id)}>Home</Link>
                    <Link href={paths.jobs(data.account_id)}>Pictures</Link>
                    <Link href={paths.balance(data.account_id)}>Ledger</Link>
                    <Link href={paths.usage(data.account_id)}>Usage</Link>
                    <Link href={paths.audit({ account_id: data.account_id })}>Audit log</Link>
                    <Link href={paths.accountData(data.account_id)}>Export and erase</Link>
                  </span>
                </Fact>
              </Facts>
            </div>
            <AccountLimits account={data} />
            <AccountPayments accountId={data.account_id} />
            <Members
              accountId={data.account_id}
              why={whyErased(data)}
              actions={(person) => (
                <>
                  <ConfirmEmail person={person} />
                  <PersonLink person={person} />
                  <RemoveMember accountId={data.account_id} person={person} />
                  <DeletePerson person={person} />
                </>
              )}
            />
            <Retention
              accountId={data.account_id}
              change={(rows) => <ChangeRetention account={data} rows={rows} />}
            />
          </div>
        )}
      </Await>
    </Page>
  );
}

function Actions({ account }: { account: OperatorAccount }) {
  const params = { account: account.account_id };
  const [open, setOpen] = useState<'credit' | 'disable'>();
  const enable = useSend('POST /admin/v1/accounts/:account/enable', outdated);
  return (
    <>
      <ProblemAlert error={enable.error} />
      {account.disabled_at ? (
        <Button variant="default" loading={enable.isPending} onClick={() => enable.mutate({ params })}>
          Enable
        </Button>
      ) : (
        <Button variant="default" onClick={() => setOpen('disable')}>
          Disable
        </Button>
      )}
      <Button onClick={() => setOpen('credit')}>Credit</Button>
      <CreditAccount account={account} opened={open === 'credit'} onClose={() => setOpen(undefined)} />
      <DisableAccount account={account} opened={open === 'disable'} onClose={() => setOpen(undefined)} />
    </>
  );
}
