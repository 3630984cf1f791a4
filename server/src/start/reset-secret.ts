import { countSessions, endAllSessions } from '../accounts/sign-in/session-store.ts';
import { type Actor, insertAuditEntry } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import type { Config } from '../config/config.ts';
import { makeFingerprint, writeFingerprint } from '../config/secret-fingerprint.ts';
import { findSecrets, makeSecret } from '../config/secrets.ts';
import { judgeSecret } from './judge-secret.ts';
import { lookAtSealed, noSecret } from './sealed-things.ts';

type SecretConfig = Pick<Config, 'secrets' | 'dataDir'>;

export interface SecretLoss {
  /** Connections that need their credentials again. */
  connections: string[];
  /** The number of lost webhook secrets and bucket credentials. Deliveries wait until they are replaced. */
  webhook_secrets: number;
  /** The number of people who need a one-time link to set up another authenticator. */
  authenticators: number;
  /** 1 if Stripe's keys must be entered again in the panel. */
  payment_keys: number;
  /** The number of sessions that end, so that people must sign in again. */
  sessions: number;
}

/** Returns what a reset of the secret would lose; null if the secret is the right one. Changes nothing. */
export async function readSecretLoss(config: SecretConfig, database: Database): Promise<SecretLoss | null> {
  if ((await judgeSecret(config, database)).is !== 'wrong') return null;
  const found = await findSecrets(config, database);
  const { connections, webhookSecrets, authenticators, paymentKeys } = await lookAtSealed(
    database,
    found?.secrets ?? [noSecret],
  );
  return {
    connections,
    webhook_secrets: webhookSecrets,
    authenticators,
    payment_keys: paymentKeys,
    sessions: await countSessions(database.read),
  };
}

/**
 * Accepts the configured secret, or creates one. Sealed values stay, and open again once the lost secret is configured
 * again. Returns null if the secret is the right one.
 */
export async function resetSecret(
  config: SecretConfig,
  database: Database,
  by: Actor,
): Promise<SecretLoss | null> {
  const loss = await readSecretLoss(config, database);
  if (loss === null) return null;
  const found = (await findSecrets(config, database)) ?? (await makeSecret(config, database));
  const fingerprint = makeFingerprint(found.secrets[0]);
  await database.transaction(async (tx) => {
    await writeFingerprint(tx, fingerprint);
    await endAllSessions(tx);
    const { connections, ...counts } = loss;
    const detail = { ...counts, connections: connections.join(', ') };
    await insertAuditEntry(tx, by, { action: 'secret.reset', accountId: null, subject: null, detail });
  });
  return loss;
}
