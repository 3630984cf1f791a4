import type { Session } from '@darkroom/server/panel-contract';
import { useParams } from '@tanstack/react-router';
import { useSession } from './session.ts';

export function useParam(name: string): string {
  const params = useParams({ strict: false }) as Record<string, string | undefined>; // only a page's name identifies it
  return params[name] ?? '';
}

export function useAccountId(): string {
  return useParam('account_id');
}

/** Returns the session's entry for the account in the page's URL; undefined if the person may not open that account. */
export function useAccount(): Session['accounts'][number] | undefined {
  const id = useAccountId();
  return useSession().accounts.find((account) => account.account_id === id);
}

/** Returns this person's rights in the account that the page's URL names; on other pages, the session's rights. */
export function useRights(): Session['rights'] {
  const session = useSession();
  return (useAccount() ?? session).rights;
}
