import type { Right } from '../accounts/people/roles.ts';
import type { ScreenContract } from '../api/screens/screens.ts';
import { installationRight } from '../api/sessions.ts';
import type { PanelCallName } from './contract.ts';

/** Rows of screens say it themselves. */
type AccountCallName = Exclude<
  Extract<PanelCallName, `${string} /panel/accounts/${string}`>,
  keyof ScreenContract
>;

/** What each call on an account takes: a call without a row does not compile. */
const ofAccountCalls: Record<AccountCallName, Right> = {
  'GET /panel/accounts/:account_id/usage': 'see_money',
  'GET /panel/accounts/:account_id/overview': 'see_pictures',
  'POST /panel/accounts/:account_id/grants': 'change_setup',
};

/** What a call takes: those on an account by the table, those of operators as what reads or changes the installation. */
export function rightFor(method: string, path: string): Right {
  if (path.startsWith('/panel/operator/')) return installationRight(method);
  return ofAccountCalls[`${method} ${path}` as AccountCallName]; // the table has all of them
}
