import { commandLine } from '../audit/audit-store.ts';
import type { Config } from '../config/config.ts';
import type { Database } from '../db/database.ts';
import { readSecretLoss, resetSecret } from './reset-secret.ts';

/** For an installation that has lost its secret. */
export function secretVerbs({ config, database }: { config: Config; database: Database }) {
  return {
    readSecretLoss: () => readSecretLoss(config, database),
    resetSecret: () => resetSecret(config, database, commandLine),
  };
}
