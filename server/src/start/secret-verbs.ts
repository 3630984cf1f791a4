import { commandLine } from '../base/audit/audit-store.ts';
import type { Database } from '../base/db/database.ts';
import type { Config } from '../config/config.ts';
import { readSecretLoss, resetSecret } from './reset-secret.ts';

export function secretVerbs({ config, database }: { config: Config; database: Database }) {
  return {
    readSecretLoss: () => readSecretLoss(config, database),
    resetSecret: () => resetSecret(config, database, commandLine),
  };
}
