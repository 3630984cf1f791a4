import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { parseSync } from 'oxc-parser';
import type { TObject, TSchema } from 'typebox';
import { adminCalls } from '../src/web/admin/admin.ts';
import { accountRows, apiRows } from '../src/web/api/table.ts';

// A noun is what a `GET` returns and a list contains. It has one schema and one function that presents it: a second
// function would soon answer differently.

/** Every noun with the function that presents it. */
const presenters: Record<string, string> = {
  Account: 'web/api/nouns/accounts/account-json.ts presentAccount',
  Album: 'web/api/nouns/albums/album-json.ts presentAlbum',
  ApiKey: 'web/api/nouns/keys/key-json.ts presentKey',
  AuditEntry: 'web/api/nouns/audit/audit-json.ts presentAuditEntry',
  Balance: 'money/ledger/present-balance.ts presentBalance',
  Batch: 'jobs/batches/present-batch.ts presentBatch',
  Brand: 'web/api/nouns/brand/brand-json.ts presentBrand',
  ClientToken: 'web/api/nouns/client-tokens/client-token-json.ts presentClientToken',
  Connection: 'web/api/nouns/connections/connection-json.ts presentConnection',
  Delivery: 'notify/webhooks/deliveries/present-delivery.ts presentDelivery',
  DeliveryAttempt: 'notify/webhooks/deliveries/present-delivery.ts presentAttempt',
  Endpoint: 'web/api/nouns/webhooks/webhook-json.ts presentEndpoint',
  Entry: 'money/ledger/present-entry.ts presentEntry',
  InstallationStatement: 'money/ledger/statement.ts addUp',
  InstallationStatementLine: 'money/ledger/statement.ts addUp',
  InstalledModel: 'web/api/nouns/installed-models/installed-model-json.ts presentInstalledModel',
  Invitation: 'web/api/nouns/people/person-json.ts presentInvitation',
  Job: 'jobs/present-job.ts presentJob',
  JobAttempt: 'jobs/costs/present-cost.ts presentCost',
  Limit: 'web/api/nouns/limits/limit-json.ts presentLimit',
  Margin: 'jobs/read-margins.ts presentMargin',
  MarginAlert: 'notify/alerts/alerts-json.ts presentMarginAlert',
  Member: 'web/api/nouns/people/person-json.ts presentPerson',
  Model: 'web/api/nouns/models/model-json.ts presentModel',
  ModelPrice: 'web/api/nouns/models/model-json.ts presentModel',
  ModelVersion: 'web/api/nouns/installed-models/installed-model-json.ts presentVersions',
  OlderModel: 'web/api/nouns/installed-models/installed-model-calls.ts installedModelCalls',
  OwedDay: 'jobs/owed/read-owed.ts presentOwed',
  Payment: 'web/api/nouns/payments/payment-json.ts presentPayment',
  PriceGroup: 'web/api/nouns/price-groups/price-group-json.ts presentPriceGroup',
  PriceGroupVersion: 'web/api/nouns/price-groups/price-group-json.ts presentPriceGroupVersion',
  Rate: 'web/api/nouns/money/rate-calls.ts presentRate',
  RefusedPrompt: 'web/api/nouns/refusals/refusal-calls.ts presentRefusedPrompt',
  Report: 'web/api/nouns/reports/report-json.ts presentReport',
  ReportedUnits: 'upstream/providers/providers.ts listReported',
  RetentionPeriod: 'web/api/nouns/retention/retention-json.ts presentParts',
  RouteReport: 'jobs/routes/report-routes.ts reportRoutes',
  RouteState: 'jobs/routes/report-routes.ts presentState',
  Server: 'web/api/nouns/system/read-server.ts readServer',
  Setting: 'config/config-report.ts reportSettings',
  Share: 'web/api/nouns/shares/share-json.ts presentShare',
  Statement: 'money/ledger/statement.ts addUp',
  StatementLine: 'money/ledger/statement.ts addUp',
  Status: 'web/api/nouns/system/read-status.ts readStatus',
  TopUp: 'web/api/nouns/payments/top-up-json.ts presentTopUp',
  Upload: 'web/api/nouns/uploads/upload-calls.ts presentUpload',
  Usage: 'jobs/read-usage.ts readUsage',
  VoucherBatch: 'web/api/nouns/vouchers/voucher-json.ts presentVoucherBatch',
  WaitingModel: 'web/api/nouns/system/read-status.ts readStatus',
};

/** Parts of nouns that no function writes field by field. */
const spread: Record<string, string> = {
  Alerts: 'web/api/nouns/alerts/alert-json.ts adds whether emails are wanted to what an event has',
  EmailSample: 'notify/emails/write-email.ts, with its kind',
  EndpointHour: 'web/api/nouns/webhooks/endpoint-calls.ts, a row with its time',
  GroupPrice: 'kept as it was sent',
  JobTags: 'jobs/tags/read-marks.ts, of which lists add the same to a job',
  Pause: 'web/api/nouns/pauses/pause-json.ts presentPause, a row with its times',
  Reversal: 'web/api/nouns/payments/payment-json.ts presentPayment, a row with its state',
  RunningProcess: 'jobs/upkeep/process-store.ts presentProcess, a row with its time',
  RunningWorker: 'jobs/queue/worker-store.ts, the row',
  UnsetLimit: 'web/api/nouns/limits/limit-json.ts presentLimits, of a table',
  UsageCount: 'jobs/read-usage.ts',
  UsageDay: 'jobs/read-usage.ts',
  UsageHour: 'jobs/read-usage.ts',
  UsageSeries: 'jobs/read-usage.ts',
};

const repeats: Record<string, string> = {
  'Job of JobTags': 'a poll leaves the marks out',
  'AccountJob of JobTags': 'a poll leaves the marks out',
  'AccountJobWithAttempts of JobTags': 'a poll leaves the marks out',
  'InstallationStatementLine of StatementLine': 'all accounts together have lines of other kinds',
  'StatementLine of InstallationStatementLine': 'all accounts together have lines of other kinds',
  'Statement of InstallationStatement': 'all accounts together have lines of other kinds',
  'UsageSeries of UsageCount': 'only what includes times counts ends',
};

/** An object with fewer fields is a pair or a list. */
const fewest = 3;
/**
 * From this number of fields on, two thirds of a noun's fields make a function its presenter. For a smaller noun
 * it takes all fields, because other objects share some.
 */
const large = 5;
/** Nodes that pass an object's fields on to the object that spreads them. */
const carriers = ['SpreadElement', 'LogicalExpression', 'ConditionalExpression', 'ParenthesizedExpression'];
/**
 * Excluded: tables and examples, whose rows have the same names; other vendors' APIs, which have their own forms; and
 * people's own data, which has a separate form.
 */
const others = /-store\.ts$|^(base\/db|web\/api\/reference|web\/doors)\/|^accounts\/read-own-data\.ts$/;

const source = resolve(import.meta.dirname, '../src');
const files = await Array.fromAsync(glob('**/*.ts', { cwd: source }));
const functions = readFunctions();
const named = await readNamed();
const nouns = readNouns();

test('a noun has one schema, which every larger one contains', () => {
  const repeated: string[] = [];
  for (const [name, noun] of nouns) {
    const own = Object.keys(noun.properties);
    for (const [otherName, other] of nouns) {
      if (other === noun || !own.every((field) => field in other.properties)) continue;
      const again = own.filter((field) => noun.properties[field] !== other.properties[field]);
      if (again.length > 0) repeated.push(`${otherName} of ${name}`);
    }
  }
  assert.deepEqual(
    repeated.sort(),
    Object.keys(repeats).sort(),
    'these repeat fields instead of containing them',
  );
});

test('a noun has one presenter', () => {
  const found = [...nouns].filter(([, noun]) => ownFieldsOf(noun).length >= fewest);
  assert.deepEqual(
    Object.fromEntries(found.map(([name, noun]) => [name, presentersOf(noun).join(' and ')]).sort()),
    { ...presenters, ...Object.fromEntries(Object.keys(spread).map((name) => [name, ''])) },
  );
});

function readNouns(): Map<string, TObject> {
  const tables = {} as Parameters<typeof adminCalls>[0] & Parameters<typeof apiRows>[0]; // no handler runs here
  const found = new Map<string, TObject>();
  const add = (schema: TSchema | undefined): void => {
    const noun = schema && (named.get((schema as { $ref?: string }).$ref ?? '') ?? schema);
    if (!noun || !('properties' in noun)) return;
    const { $id, title, properties } = noun as TObject & { $id?: string; title?: string };
    const { data } = properties as { data?: TSchema & { items?: TSchema } };
    for (const { items } of Object.values(properties) as { items?: TSchema }[]) add(items);
    if (!data && Object.keys(properties).length >= fewest) found.set($id ?? title ?? '', noun as TObject);
  };
  for (const { method, call } of [...accountRows(tables), ...apiRows(tables), ...adminCalls(tables)])
    if (method === 'GET') add(call.reply);
  return found;
}

async function readNamed(): Promise<Map<string, TSchema>> {
  const found = new Map<string, TSchema>();
  for (const file of files.filter((one) => /^web\/(api|admin)\//.test(one))) {
    const exported = (await import(join(source, file))) as Record<string, unknown>;
    for (const value of Object.values(exported)) {
      const { $id, properties } = Object(value) as { $id?: unknown; properties?: unknown };
      if (typeof $id !== 'string' || properties === undefined) continue;
      const schema = value as TSchema; // an item of a list has the fields of one object
      assert.ok((found.get(`${$id}#`) ?? schema) === schema, `two schemas are called ${$id}`);
      found.set(`${$id}#`, schema);
    }
  }
  return found;
}

/** The fields that are not from another noun that it contains. */
function ownFieldsOf(noun: TObject): string[] {
  const contained = [...nouns.values()].filter(
    (other) =>
      other !== noun &&
      Object.entries(other.properties).every(([field, schema]) => noun.properties[field] === schema),
  );
  return Object.keys(noun.properties).filter(
    (field) => !contained.some((other) => field in other.properties),
  );
}

/**
 * The functions that build an object with at least two thirds of the noun's own fields, or all fields of a small noun.
 */
function presentersOf(noun: TObject): string[] {
  const fields = ownFieldsOf(noun);
  const enough = fields.length < large ? fields.length : Math.ceil((fields.length * 2) / 3);
  return functions.flatMap(({ name, objects }) =>
    objects.some((written) => fields.filter((field) => written.has(field)).length >= enough) ? [name] : [],
  );
}

function readFunctions(): { name: string; objects: Set<string>[] }[] {
  return files
    .filter((file) => !others.test(file))
    .sort()
    .flatMap((file) => {
      const { program } = parseSync(file, readFileSync(join(source, file), 'utf8'));
      return program.body.flatMap((statement) => {
        const declared =
          'declaration' in statement && statement.declaration ? statement.declaration : statement;
        const name = nameOf(declared as unknown as SyntaxNode); // any kind of declaration
        return name === undefined ? [] : [{ name: `${file} ${name}`, objects: objectsIn(declared) }];
      });
    });
}

function nameOf(node: SyntaxNode): string | undefined {
  if (node.type === 'FunctionDeclaration') return (node.id as SyntaxNode & { name: string }).name;
  const [first] = (node.declarations ?? []) as { id: { name: string }; init?: SyntaxNode }[];
  return first?.init?.type === 'ArrowFunctionExpression' ? first.id.name : undefined;
}

interface SyntaxNode {
  type: string;
  [field: string]: unknown;
}

/** `Type.Object(…)` and similar: an object with a noun's fields there is its schema. */
function isSchema(callee: unknown): boolean {
  const { object, name } = Object(callee) as { object?: { name?: string }; name?: string };
  return object?.name === 'Type' || name === 'closed';
}

/** The field names of each object literal; spread fields belong to the outer object. */
function objectsIn(node: unknown, into?: Set<string>, found: Set<string>[] = []): Set<string>[] {
  if (Array.isArray(node)) for (const one of node) objectsIn(one, into, found);
  const { type, ...parts } = Object(node) as SyntaxNode;
  if (type === 'CallExpression' && isSchema(parts.callee)) return found;
  if (type === 'ObjectExpression') {
    const written = into ?? new Set<string>();
    if (!into) found.push(written);
    for (const property of parts.properties as SyntaxNode[]) {
      const { name } = Object(property.key) as { name?: string };
      if (name !== undefined) written.add(name);
      objectsIn(property.value ?? property, property.value ? undefined : written, found);
    }
  } else if (type !== undefined)
    for (const part of Object.values(parts))
      objectsIn(part, carriers.includes(type) ? into : undefined, found);
  return found;
}
