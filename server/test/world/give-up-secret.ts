import { commandLine } from '../../src/base/audit/audit-store.ts';
import { resetSecret } from '../../src/start/reset-secret.ts';
import type { World } from './world.ts';

export async function giveUpSecret({ config, app }: Pick<World, 'config' | 'app'>): Promise<void> {
  await resetSecret(config, app.database, commandLine);
}
