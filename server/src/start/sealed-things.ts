import { createKeySealer, readKeys } from '../accounts/payments/payment-keys.ts';
import { deriveAuthKeys } from '../accounts/sign-in/auth-keys.ts';
import { createAuthenticatorSeals } from '../accounts/sign-in/authenticator-seals.ts';
import type { Database } from '../base/db/database.ts';
import { readAllColumns } from '../base/db/migrating/read-schema.ts';
import { countSecrets } from '../notify/webhooks/secrets/secret-store.ts';
import { createSigningSealer } from '../notify/webhooks/secrets/signing-sealer.ts';
import { listConnections } from '../upstream/connections/connection-store.ts';
import { createCredentialSealer } from '../upstream/connections/read-connections.ts';

/** Sealed values that none of the secrets opens. */
export interface Unopened {
  connections: string[];
  /** The number of signing secrets and bucket credentials. */
  webhookSecrets: number;
  authenticators: number;
  /** 1 if Stripe's keys from the panel cannot be opened, otherwise 0. */
  paymentKeys: number;
}

export const noSecret = 'none';

/** Tries the secrets on all sealed values. An older schema lacks some kinds of sealed values. */
export async function lookAtSealed(
  database: Database,
  secrets: readonly string[],
): Promise<Unopened & { opened: number }> {
  const { read } = database;
  const columns = await readAllColumns(database);
  const all = columns.has('connections.credential') ? await listConnections(read) : [];
  const credentials = all.filter(({ credential }) => credential !== null);
  const credentialSealer = createCredentialSealer(secrets);
  const connections = credentials
    .filter(({ name, credential }) => credentialSealer.open(credential ?? '', name) === undefined)
    .map(({ name }) => name);
  const owner = columns.has('signing_secrets.owner_id') ? 'owner_id' : 'account_id';
  const webhooks = await countSecrets(read, createSigningSealer(secrets), owner);
  const authenticators = await createAuthenticatorSeals(database, deriveAuthKeys(secrets)).count();
  const paymentKeys = await readKeys(read, createKeySealer(secrets));
  return {
    connections,
    webhookSecrets: webhooks.unreadable,
    authenticators: authenticators.unreadable,
    paymentKeys: paymentKeys === 'sealed' ? 1 : 0,
    opened:
      credentials.length -
      connections.length +
      webhooks.readable +
      authenticators.readable +
      (paymentKeys === null || paymentKeys === 'sealed' ? 0 : 1),
  };
}

export function isEmpty({ connections, webhookSecrets, authenticators, paymentKeys }: Unopened): boolean {
  return connections.length + webhookSecrets + authenticators + paymentKeys === 0;
}
