import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { retentionOf } from '../../src/accounts/retention/retention.ts';
import { readConfig } from '../../src/config/config.ts';
import { readPolicy } from '../../src/config/policy-settings.ts';
import { formatMicros } from '../../src/money/ledger/money.ts';
import { readMarkdown } from '../../src/web/api/docs/markdown.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/settings.md'), 'utf8');
/** The cells of each setting, by its name. */
const settings = new Map(
  readMarkdown(page)
    .flatMap((block) => (block.kind === 'table' ? block.rows : []))
    .map(([name = '', ...cells]) => [
      name.replaceAll('`', ''),
      cells.map((cell) => cell.replaceAll('`', '')),
    ]),
);

test('every setting that operators see in the panel stands on the page', () => {
  const names = [...settings.keys()];
  for (const { name } of readConfig({}).settings)
    assert.ok(
      names.some((one) => one === name || one.startsWith(`${name}.`)),
      name,
    );
});

test('what the page says of a setting that is left out is what the server does then', () => {
  const { http, worker, payments, ...config } = readConfig({});
  const { usual: policy, keepPromptsDays } = readPolicy({}, undefined) ?? assert.fail();
  const { jobs, audit, stars } = retentionOf(config.retention);
  const amount = (micros: bigint) => String(Number(formatMicros(micros)));
  const unset: Record<string, unknown> = {
    PORT: http.port,
    HOST: http.host,
    DARKROOM_SHUTDOWN_DELAY_SECONDS: http.shutdownDelayMs / 1000,
    DARKROOM_DATABASE_CONNECTIONS: `${config.databaseConnections}, of a worker ${readConfig({}, { role: 'worker' }).databaseConnections}`,
    DARKROOM_DOORS: config.doors.join(', '),
    DARKROOM_RENDITIONS: config.renditionsAhead ? 'ahead' : 'on-demand',
    DARKROOM_SHARING: config.sharing,
    DARKROOM_STATUS_PAGE: config.statusPage,
    DARKROOM_OPERATOR_DOCS: config.operatorDocs,
    DARKROOM_LOG_LEVEL: config.log.level,
    currency: config.currency,
    'limits.concurrency': worker.concurrency,
    'limits.jobSeconds': worker.jobTimeoutMs / 1000,
    'limits.queuedSeconds': config.maxQueuedMs / 1000,
    'limits.minFreeDiskMegabytes': config.minFreeDiskBytes / 1024 / 1024,
    'marking.keepSigned': config.marking.keepSigned,
    'marking.publicVerify': config.publicVerify,
    'alerts.costRisePercent': config.costRisePercent,
    'policy.timeoutMs': policy.timeoutMs,
    'policy.whenDown': policy.whenDown,
    'policy.keepPromptsDays': keepPromptsDays,
    'payments.amounts': payments.amountsMicros
      .map(amount)
      .join(', ')
      .replace(/, (\d+)$/, ' and $1'),
    'payments.least': amount(payments.leastMicros),
    'payments.most': amount(payments.mostMicros),
    'payments.taxes': payments.stripe.taxes,
    'payments.invoices': payments.stripe.invoices,
    retentionDays: jobs,
    'retention.audit': audit ?? 'for good',
    'retention.stars': stars || 'none',
  };
  const told = Object.keys(unset).map((name) => [
    name,
    settings.get(name)?.[0]?.replace(/(\d),(\d)/g, '$1$2'),
  ]);
  assert.deepEqual(
    Object.fromEntries(told),
    Object.fromEntries(Object.entries(unset).map(([name, value]) => [name, String(value)])),
  );
});

test('a variable that may come from a file says so', () => {
  const marked = [...settings]
    .filter(([name, cells]) => cells[1]?.includes(`${name}_FILE`))
    .map(([name]) => name);
  assert.ok(marked.includes('DATABASE_URL') && marked.includes('DARKROOM_SECRET'));
  for (const name of marked)
    assert.throws(() => readConfig({ [`${name}_FILE`]: '/nowhere' }), /\/nowhere/, name);
});
