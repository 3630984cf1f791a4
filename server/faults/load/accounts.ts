import { migrateDatabase } from '../../src/start/open-operator.ts';
import { openOperator } from '../../test/world/commands.ts';

export interface Account {
  accountId: string;
  key: string;
  limitedKey: string;
  credit: string;
}

export interface Accounts {
  accounts: { rich: Account; poor: Account };
  /** An admin key with every scope. */
  adminKey: string;
  bucketId: string | null;
}

export interface BucketAt {
  url: string;
  credentials: { access_key_id: string; secret_access_key: string };
}

// The poor account often runs out of money, so that requests are refused for lack of money during the faults.
const credits = { rich: '10000.00', poor: '3.00' } as const;
const mostOpen = 3;

/** Opens the accounts with `webhook` as their default endpoint, which gets the events that no other endpoint gets. */
export async function openAccounts(
  env: NodeJS.ProcessEnv,
  { webhook, bucket }: { webhook: string; bucket: BucketAt | null },
): Promise<Accounts> {
  await migrateDatabase(env);
  await using operator = await openOperator(env);
  const open = async (name: keyof typeof credits): Promise<Account> => {
    const credit = credits[name];
    const { account_id: accountId } = await operator.createAccount({
      name: `faults-${name}`,
      credit,
      webhook,
    });
    const { key } = await operator.createKey(accountId);
    const limited = await operator.createKey(accountId, { limits: { open: mostOpen } });
    return { accountId, key, limitedKey: limited.key, credit };
  };
  const accounts = { rich: await open('rich'), poor: await open('poor') };
  const copied = bucket && (await operator.addEndpoint(accounts.rich.accountId, bucket));
  const scopes = ['read', 'accounts', 'money', 'models', 'system'];
  const { key: adminKey } = await operator.createAdminKey('faults', { scopes });
  return { accounts, adminKey, bucketId: copied?.endpoint_id ?? null };
}
