import { useAccount, useAccountId, useRights } from '../../api/account.ts';
import { OwnMembers } from '../../features/people/own-members.tsx';
import { Retention } from '../../features/retention/retention.tsx';
import { Id } from '../../ui/copy.tsx';
import { Fact, Facts } from '../../ui/figures/figures.tsx';
import { Page } from '../../ui/page.tsx';

export function OwnAccountPage() {
  const accountId = useAccountId();
  const account = useAccount();
  const managesPeople = useRights().includes('manage_people');
  return (
    <Page title="Account" intro="Who may do what here, and for how long things are kept.">
      <div className={managesPeople ? 'columns' : undefined}>
        {managesPeople && <OwnMembers accountId={accountId} />}
        <div className="stack wide">
          <aside className="card padded" aria-label="Facts">
            <Facts>
              <Fact name="Name">{account?.name}</Fact>
              <Fact name="Id">
                <Id id={accountId} what="account id" />
              </Fact>
            </Facts>
          </aside>
          <Retention accountId={accountId} />
        </div>
      </div>
    </Page>
  );
}
