import { useAccountId, useRights } from '../../api/account.ts';
import { OwnMembers } from '../../features/people/own-members.tsx';
import { Retention } from '../../features/retention/retention.tsx';
import { Page } from '../../ui/page.tsx';

/** Who belongs to an account, and what is kept of it. */
export function OwnAccountPage() {
  const accountId = useAccountId();
  const rights = useRights();
  return (
    <Page title="Account" intro="Who may do what here, and for how long things are kept.">
      {rights.includes('manage_people') && <OwnMembers accountId={accountId} />}
      <Retention accountId={accountId} />
    </Page>
  );
}
