import { type Account, findAccount, listAccounts } from './accounts/account-store.ts';
import { createAccount } from './accounts/create-account.ts';
import { createKey, type KeyRequest } from './accounts/create-key.ts';
import { creditAccount } from './accounts/credit-account.ts';
import { type ApiKey, disableKey, listKeys } from './accounts/key-store.ts';
import { renewLink } from './accounts/people/first-operator.ts';
import { linkUrl } from './accounts/people/panel-link.ts';
import { listPauses, type PauseScope, pause, resume } from './catalog/pause-store.ts';
import { type Environment, readConfig } from './config.ts';
import { connect } from './db/connect.ts';
import { migrate } from './db/migrate.ts';
import { AppError } from './errors.ts';
import { readServedUrl } from './first-start.ts';
import { openStore } from './images/open-store.ts';
import { createGuard } from './inputs/guard.ts';
import { describeGap, findGaps } from './jobs/coverage.ts';
import { readQueue } from './jobs/job-store.ts';
import { openRoutes, upstreamOf } from './jobs/open-route.ts';
import { reportRoutes } from './jobs/report-route.ts';
import type { Route } from './jobs/route.ts';
import { verifyImages } from './jobs/verify-images.ts';
import { formatMicros, parseMicros } from './ledger/money.ts';
import { countVerified, findViolations } from './ledger/verify-store.ts';
import type { Health } from './providers/provider.ts';
import { systemClock } from './std/clock.ts';
import { isUuid } from './std/ids.ts';
import { toIso, toIsoOrNull } from './std/iso-time.ts';
import { version } from './version.ts';
import { webhookOperations } from './webhooks/webhook-operations.ts';
import { createTargetCheck } from './webhooks/webhook-target.ts';

/** What an operator can do beside a running server: the same operations, on the same database. */
export type Operator = Awaited<ReturnType<typeof openOperator>>;

/** @throws ConfigError, DatabaseRefused */
export async function openOperator(env: Environment) {
  const config = readConfig(env);
  const clock = systemClock;
  const database = await connect({ url: config.databaseUrl, dataDir: config.dataDir, clock });
  await migrate(database);
  const deps = { database, clock };
  const { host, port, publicUrl } = config.http;
  const guard = createGuard({
    allowNetworks: config.allowNetworks,
    ownAddresses: () => [{ address: host, port }],
  });
  const webhooks = webhookOperations({
    ...deps,
    guard,
    checkTarget: createTargetCheck(guard, () => publicUrl),
  });

  return {
    ...webhooks,
    async createAccount(account: { name: string; creditMicros?: bigint; webhookUrl?: string }) {
      // A wrong URL leaves no account behind.
      if (account.webhookUrl !== undefined) webhooks.checkWebhookUrl(account.webhookUrl);
      const created = await createAccount(deps, account);
      if (account.webhookUrl !== undefined) {
        await webhooks.setWebhook({ account: created.id, url: account.webhookUrl });
      }
      return presentAccount(created);
    },
    async listAccounts() {
      const accounts = await listAccounts(database.read);
      return accounts.map((account) => ({
        ...presentAccount(account),
        reserved: formatMicros(account.reservedMicros),
        available: formatMicros(account.balanceMicros - account.reservedMicros),
        created_at: toIso(account.createdAt),
      }));
    },
    async creditAccount(credit: { account: string; amountMicros: bigint; reason: string }) {
      return presentAccount(await creditAccount(deps, credit));
    },
    async createKey(request: KeyRequest) {
      const { key, keyId, accountId, models } = await createKey(deps, request);
      return { key, key_id: keyId, account_id: accountId, models };
    },
    async listKeys({ account }: { account?: string }) {
      const found = account === undefined ? undefined : await findAccount(database.read, account);
      if (account !== undefined && !found)
        throw new AppError('not_found', `There is no account "${account}".`);
      return (await listKeys(database.read, found?.id)).map(presentKey);
    },
    async disableKey(keyId: string) {
      const disabled = isUuid(keyId) && (await database.transaction((tx) => disableKey(tx, keyId)));
      if (!disabled) throw new AppError('not_found', `There is no key with the id "${keyId}".`);
    },
    async pause({ scope, reason, forMs }: { scope: PauseScope; reason?: string; forMs?: number }) {
      const until = forMs === undefined ? null : clock.nowMs() + forMs;
      await database.transaction((tx) => pause(tx, { scope, reason: reason ?? null, until }));
    },
    async resume({ scope }: { scope: PauseScope }) {
      return database.transaction((tx) => resume(tx, scope));
    },
    async status() {
      const { queued, processing, oldestQueuedMs } = await readQueue(database.read);
      const pauses = await listPauses(database.read);
      return {
        version,
        database: database.kind,
        storage: config.storage.kind,
        pauses: pauses.map((one) => ({ ...one, until: toIsoOrNull(one.until) })),
        queued,
        processing,
        oldest_queued_ms: oldestQueuedMs,
        accounts: (await listAccounts(database.read)).length,
        routes: config.routes.map((route) => ({
          model: route.model,
          provider: route.provider,
          upstream_model: upstreamOf(route) ?? route.provider,
          slots: route.slots,
        })),
      };
    },
    /** Every route with its health and its last day; `check` asks each provider, which costs nothing. */
    async routes({ check = false }: { check?: boolean } = {}) {
      const reports = await reportRoutes(database, config.routes);
      await using stack = new AsyncDisposableStack();
      const opened = openRoutes(config.routes, config.providerKeys);
      for (const { provider } of opened) stack.defer(() => provider[Symbol.asyncDispose]?.());
      const checks = check ? await Promise.all(opened.map(checkRoute)) : [];
      return {
        routes: reports.map((report, index) => ({
          ...report,
          ...(checks[index] && { check: checks[index] }),
        })),
        uncovered: findGaps(opened).map(describeGap),
      };
    },
    /** Every invariant, images included. */
    async verify() {
      const images = await openStore(config);
      try {
        const checked = await countVerified(database.read);
        const violations = await findViolations(database.read);
        const verified = await verifyImages({ database, images });
        const all = [...violations, ...verified.violations];
        return { ok: all.length === 0, checked: { ...checked, images: verified.checked }, violations: all };
      } finally {
        await images[Symbol.asyncDispose]?.();
      }
    },
    async backup(file: string) {
      return { file, bytes: await database.backup(file) };
    },
    /** A link that opens the panel once: as the first operator, or as whoever has this e-mail. */
    async panelLink({ email }: { email?: string } = {}) {
      const link = await renewLink(deps, email === undefined ? {} : { email });
      const { host, port, publicUrl } = config.http;
      const url = publicUrl ?? (await readServedUrl(config.dataDir)) ?? `http://${host}:${port}`;
      return { url: linkUrl(url, link), expires_at: toIso(link.expiresAt) };
    },
    parseAmount(text: string): bigint {
      const micros = parseMicros(text);
      if (micros !== undefined) return micros;
      throw new AppError(
        'invalid_request',
        `"${text}" is not an amount. Write it like 10 or 0.05, with at most six decimals.`,
      );
    },
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

// A provider that does not say in that time whether it is well is not.
const checkTimeoutMs = 15_000;

async function checkRoute({ provider }: Route): Promise<Health> {
  return provider.check(AbortSignal.timeout(checkTimeoutMs)).catch((error: unknown) => ({
    ok: false,
    detail: error instanceof Error ? error.message : String(error),
  }));
}

function presentAccount({ id, name, balanceMicros }: Account) {
  return { account_id: id, name, balance: formatMicros(balanceMicros) };
}

function presentKey(key: ApiKey) {
  return {
    key_id: key.id,
    account_id: key.accountId,
    name: key.name,
    models: key.models,
    hint: key.hint,
    created_at: toIso(key.createdAt),
    expires_at: toIsoOrNull(key.expiresAt),
    last_used_at: toIsoOrNull(key.lastUsedAt),
    disabled_at: toIsoOrNull(key.disabledAt),
  };
}
