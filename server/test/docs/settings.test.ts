import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { retentionOf } from '../../src/accounts/retention/retention.ts';
import { readConfig } from '../../src/config/config.ts';
import { readPolicy } from '../../src/config/policy-settings.ts';
import { formatMicros } from '../../src/money/ledger/money.ts';
import { readMarkdown } from '../../src/web/api/docs/markdown.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/settings.md'), 'utf8');
/** The cells of each setting, by its name; a route's names begin with `A route.`, and a model's with `A model.`. */
const settings = new Map<string, string[]>();
let above = '';
for (const block of readMarkdown(page)) {
  if (block.kind === 'heading') above = block.text.startsWith('A ') ? `${block.text}.` : '';
  if (block.kind !== 'table') continue;
  for (const row of block.rows) {
    const [name = '', ...cells] = row.map((cell) => cell.replaceAll('`', ''));
    settings.set(above + name, cells);
  }
}

test('the panel shows operators every setting on the page, and no other', () => {
  const onPage = [...settings.keys()].filter((name) => !name.startsWith('A '));
  const shown = readConfig({}).settings;
  assert.deepEqual(
    new Set(shown.map(({ name }) => name)),
    new Set(onPage.map((name) => name.replace(/\..*/, ''))),
  );
  for (const { name, value } of shown)
    assert.equal(value, settings.get(name)?.[0] ?? 'the default of each field', name);
});

test('the page’s default for a setting that is left out is what the server uses', () => {
  const { http, worker, payments, ...config } = readConfig({});
  const { usual: policy, keepPromptsDays } = readPolicy({}, undefined) ?? assert.fail();
  const { jobs, audit, stars } = retentionOf(config.retention);
  const amount = (micros: bigint) => String(Number(formatMicros(micros)));
  const sketch = config.routes[0] ?? assert.fail();
  const hosted = readConfig({ GEMINI_API_KEY: 'key' }).routes[0] ?? assert.fail();
  assert.equal(sketch.slots, Math.max(2, availableParallelism()));
  const unset: Record<string, unknown> = {
    PORT: http.port,
    HOST: http.host,
    DARKROOM_SHUTDOWN_DELAY_SECONDS: http.shutdownDelayMs / 1000,
    DARKROOM_DATABASE_CONNECTIONS: `${config.databaseConnections}, for a worker ${readConfig({}, { role: 'worker' }).databaseConnections}`,
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
    'A route.slots': `${hosted.slots} (1 for ComfyUI and AUTOMATIC1111, one for each processor but at least 2 for sketch)`,
    'A route.timeoutSeconds': `${hosted.timeoutMs / 1000} (${sketch.timeoutMs / 1000} for sketch)`,
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
