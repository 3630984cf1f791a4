import { once } from 'node:events';
import type { DarkroomAdmin } from '@darkroom/sdk';
import { sql } from 'kysely';
import type { Log } from '../../../src/base/std/log.ts';
import { readConfig } from '../../../src/config/config.ts';
import type { DeliveryPolicy } from '../../../src/notify/webhooks/deliveries/deliverer.ts';
import { type Delivery, listDeliveries } from '../../../src/notify/webhooks/deliveries/delivery-store.ts';
import type { Replacements } from '../../../src/start/open-base.ts';
import { openAdministration } from '../../admin/admin-client.ts';
import { TestProvider } from '../../world/provider.ts';
import { silentLog } from '../../world/silent-log.ts';
import { openWorld, testRoutes, type World, type WorldOptions } from '../../world/world.ts';
import { receiverNetwork } from './receiver.ts';

export interface WebhookWorld extends AsyncDisposable {
  world: World;
  operations: DarkroomAdmin;
  /** Resolves when this many attempts have been recorded in all. */
  attempted(count: number): Promise<Record<string, unknown>[]>;
  /** Resolves when one more attempt has been recorded, or may have been. */
  nextAttempt(): Promise<void>;
  /** All deliveries of the account, oldest first. */
  deliveries(accountId?: string): Promise<Delivery[]>;
  /** Makes deliveries that wait for their next attempt due now. */
  makeDue(): Promise<void>;
  /** Creates a job and cancels it, as the quickest way to an event; returns its id. */
  failJob(body?: object, headers?: Record<string, string>): Promise<string>;
}

export interface WebhookWorldOptions extends WorldOptions {
  policy?: Partial<DeliveryPolicy>;
  dnsServers?: string[];
  /** Without this route, jobs stay queued until they are cancelled. */
  makesImages?: boolean;
}

/** A Darkroom whose guard allows the receivers of these tests. */
export async function openWebhookWorld(options: WebhookWorldOptions = {}): Promise<WebhookWorld> {
  const watched = watchAttempts();
  const env = { DARKROOM_ALLOW_NETWORKS: receiverNetwork, ...options.env };
  const replacements: Replacements = {
    log: watched.log,
    ...(options.makesImages !== true && { routes: testRoutes(new TestProvider(), { slots: 0 }) }),
    ...(options.dnsServers && { dnsServers: options.dnsServers }),
    ...options.replacements,
  };
  const world = await openWorld({
    ...options,
    env,
    config: {
      deliveries: { ...readConfig({}).deliveries, pollMs: 20, ...options.policy },
      ...options.config,
    },
    replacements,
  });
  const openOperations = await openAdministration(world);
  return {
    world,
    get operations() {
      return openOperations();
    },
    attempted: watched.attempted,
    nextAttempt: watched.next,
    deliveries: async (accountId = world.accountId) =>
      (await listDeliveries(world.app.database.read, { accountId, limit: 20_000 })).reverse(),
    async makeDue() {
      await world.app.database.transaction((tx) =>
        tx
          .updateTable('deliveries')
          .set({ claimable_at: sql`now_ms()` })
          .where('status', '=', 'pending')
          .where('worker', 'is', null)
          .where('claimable_at', '>', sql<number>`now_ms()`)
          .execute(),
      );
    },
    async failJob(body = {}, headers = {}) {
      // The image takes until the cancel, which would otherwise be too late if the world makes images.
      const { handler } = world.provider;
      world.provider.handler = async (_request, { signal }) => {
        await once(signal, 'abort');
        throw signal.reason;
      };
      const id = await world.create('/nb2/text-generations', body, headers);
      const { status } = await world.send('POST', `/jobs/${id}/cancel`, { headers });
      world.provider.handler = handler;
      if (status !== 200) throw new Error(`the job was not cancelled: ${status}`);
      return id;
    },
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  };
}

// An attempt that was recorded between a check and the wait for the next one is found by checking again.
const lookAgainMs = 50;

function watchAttempts() {
  const attempts: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  const log: Log = {
    ...silentLog,
    info(event, fields = {}) {
      if (event !== 'delivery.attempted') return;
      attempts.push({ ...fields });
      for (const look of waiting) look();
    },
  };
  return {
    log,
    next() {
      return new Promise<void>((resolve) => {
        const done = () => {
          clearTimeout(timer);
          waiting.delete(done);
          resolve();
        };
        const timer = setTimeout(done, lookAgainMs);
        waiting.add(done);
      });
    },
    attempted(count: number) {
      return new Promise<Record<string, unknown>[]>((resolve) => {
        const look = () => {
          if (attempts.length < count) return;
          waiting.delete(look);
          resolve(attempts);
        };
        waiting.add(look);
        look();
      });
    },
  };
}
