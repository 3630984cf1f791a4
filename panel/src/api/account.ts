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

/** Undefined if the person may not open the account in the page's URL. */
export function useAccount(): Session['accounts'][number] | undefined {
  const id = useAccountId();
  return useSession().accounts.find((account) => account.account_id === id);
}

/** The person's rights in the account in the page's URL; on other pages, the session's rights. */
export function useRights(): Session['rights'] {
  const session = useSession();
  return (useAccount() ?? session).rights;
}
