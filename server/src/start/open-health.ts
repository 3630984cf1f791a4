import { readNow } from '../base/db/rows.ts';
import { registerHealth } from '../base/http/health-calls.ts';
import { isBehindProxy } from '../base/http/host-names.ts';
import { createServer } from '../base/http/server.ts';
import type { Metrics } from '../jobs/upkeep/create-metrics.ts';
import { registerMetrics } from '../web/api/metrics-calls.ts';
import type { Base } from './open-base.ts';

/** Opens the health port until the drain ends. Each process has its own; a worker listens on no other port. */
export async function openHealth(
  { config, log, meter, database, disks, urls }: Base,
  openMetrics: () => Promise<Metrics>,
  stack: AsyncDisposableStack,
): Promise<{ retire(): void }> {
  const { host, healthPort } = config.http;
  let isRetired = false;
  if (healthPort === null) return { retire: () => {} };
  const server = createServer({ log, meter, publicUrl: () => urls.publicUrl });
  stack.defer(() => server.close());
  registerHealth(server, {
    askDatabase: () => readNow(database.read),
    isDiskFull: () => disks.isFull(),
    isRetired: () => isRetired,
  });
  registerMetrics(server, {
    openMetrics,
    token: config.metricsToken,
    isBehindProxy: isBehindProxy(config.http),
  });
  // The port is exclusive, because otherwise processes under one parent would share it.
  await server.listen({ host, port: healthPort, exclusive: true });
  return {
    retire() {
      isRetired = true;
    },
  };
}
