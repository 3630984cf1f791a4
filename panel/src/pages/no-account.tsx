import { useSession } from '../api/session.ts';
import { paths } from '../paths.ts';
import { EmptyState } from '../ui/empty-state.tsx';
import { Link } from '../ui/link.tsx';
import { Page } from '../ui/page.tsx';

export function NoAccountPage() {
  const { operator } = useSession();
  return (
    <Page title="Welcome">
      <EmptyState title="No account yet">
        {operator ? (
          <p>
            An account holds a balance, keys and jobs. <Link href={paths.operatorAccounts()}>Create one</Link>{' '}
            to begin.
          </p>
        ) : (
          <p>You are no longer a member of any account. An operator can invite you to one.</p>
        )}
      </EmptyState>
    </Page>
  );
}
