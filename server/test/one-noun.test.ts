import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { glob } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import type { TObject, TSchema } from 'typebox';
import { adminCalls } from '../src/web/admin/admin.ts';
import { accountRows, apiRows } from '../src/web/api/table.ts';

// A noun is what lists hold and what `GET` answers. It has one schema, and one function that presents it: a second one answers
// differently before long.

/** Every noun with the function that presents it. */
const presenters: Record<string, string> = {
  Account: 'web/api/nouns/accounts/account-json.ts presentAccount',
  Album: 'web/api/nouns/albums/album-json.ts presentAlbum',
  ApiKey: 'web/api/nouns/keys/key-json.ts presentKey',
  AuditEntry: 'web/api/nouns/audit/audit-json.ts presentAuditEntry',
  Batch: 'jobs/batches/present-batch.ts presentBatch',
  ClientToken: 'web/api/nouns/client-tokens/client-token-json.ts presentClientToken',
  Connection: 'web/api/nouns/connections/connection-json.ts presentConnection',
  Delivery: 'notify/webhooks/deliveries/present-delivery.ts presentDelivery',
  Endpoint: 'web/api/nouns/webhooks/webhook-json.ts presentEndpoint',
  Entry: 'money/ledger/present-entry.ts presentEntry',
  InstallationStatement: 'money/ledger/statement.ts addUp',
  InstalledModel: 'web/api/nouns/installed-models/installed-model-json.ts presentInstalledModel',
  Invitation: 'web/api/nouns/people/person-json.ts presentInvitation',
  Job: 'jobs/present-job.ts presentJob',
  Limit: 'web/api/nouns/limits/limit-json.ts presentLimit',
  Margin: 'jobs/read-margins.ts presentMargin',
  MarginAlert: 'notify/alerts/alerts-json.ts presentMarginAlert',
  Member: 'web/api/nouns/people/person-json.ts presentPerson',
  Brand: 'web/api/nouns/brand/brand-json.ts presentBrand',
  Model: 'web/api/nouns/models/model-json.ts presentModel',
  ModelVersion: 'web/api/nouns/installed-models/installed-model-json.ts presentVersions',
  PriceGroup: 'web/api/nouns/price-groups/price-group-json.ts presentPriceGroup',
  Rate: 'web/api/nouns/money/rate-calls.ts presentRate',
  RefusedPrompt: 'web/api/nouns/refusals/refusal-calls.ts presentRefusedPrompt',
  OwedDay: 'jobs/owed/read-owed.ts presentOwed',
  Report: 'web/api/nouns/reports/report-json.ts presentReport',
  Server: 'web/api/nouns/system/read-server.ts readServer',
  Share: 'web/api/nouns/shares/share-json.ts presentShare',
  Statement: 'money/ledger/statement.ts addUp',
  Status: 'web/api/nouns/system/read-status.ts readStatus',
  Upload: 'web/api/nouns/uploads/upload-calls.ts presentUpload',
  Usage: 'jobs/read-usage.ts readUsage',
  Payment: 'web/api/nouns/payments/payment-json.ts presentPayment',
  VoucherBatch: 'web/api/nouns/vouchers/voucher-json.ts presentVoucherBatch',
};

/** Fields in which a noun differs from another that it has otherwise: statements of all accounts have lines of other kinds. */
const ownFields: Record<string, string[]> = { Statement: ['lines'] };

/** Other things have fewer fields in common. */
const fewest = 5;
/** Rows of tables and examples have the same names, doors speak as others do, and people take their data along in a file of its own form. */
const others = /-store\.ts$|^(base\/db|web\/api\/reference|web\/doors)\/|^accounts\/read-own-data\.ts$/;

const source = resolve(import.meta.dirname, '../src');
const files = await Array.fromAsync(glob('**/*.ts', { cwd: source }));
const beginnings = /^(?=(?:export )?(?:async )?(?:function|const|interface|type) )/m;
const functions = readFunctions();
const named = await readNamed();
const nouns = readNouns();

test('a noun has one schema: whoever shows more of it contains that one', () => {
  for (const [name, noun] of nouns) {
    const own = Object.keys(noun.properties);
    for (const [otherName, other] of nouns) {
      if (other === noun || !own.every((field) => field in other.properties)) continue;
      const again = own
        .filter((field) => noun.properties[field] !== other.properties[field])
        .filter((field) => !ownFields[otherName]?.includes(field));
      assert.deepEqual(again, [], `${otherName} repeats fields of ${name} instead of containing them`);
    }
  }
});

test('a noun has one presenter', () => {
  const found = [...nouns].filter(([, noun]) => !containsAnother(noun));
  assert.deepEqual(
    Object.fromEntries(found.map(([name, noun]) => [name, presentersOf(noun).join(' and ')]).sort()),
    presenters,
  );
});

/** By name. A list of them is none. */
function readNouns(): Map<string, TObject> {
  const tables = {} as Parameters<typeof adminCalls>[0] & Parameters<typeof apiRows>[0]; // no handler runs here
  const found = new Map<string, TObject>();
  const add = (schema: TSchema | undefined): void => {
    const noun = schema && (named.get((schema as { $ref?: string }).$ref ?? '') ?? schema);
    if (!noun || !('properties' in noun)) return;
    const { $id, title, properties } = noun as TObject & { $id?: string; title?: string };
    const { data } = properties as { data?: TSchema & { items?: TSchema } };
    if (data) add(data.items);
    else if (Object.keys(properties).length >= fewest) found.set($id ?? title ?? '', noun as TObject);
  };
  for (const { method, call } of [...accountRows(tables), ...apiRows(tables), ...adminCalls(tables)])
    if (method === 'GET') add(call.reply);
  return found;
}

/** Objects with a name of their own in the documents, by their reference. */
async function readNamed(): Promise<Map<string, TSchema>> {
  const found = new Map<string, TSchema>();
  for (const file of files.filter((one) => /^web\/(api|admin)\//.test(one))) {
    const exported = (await import(join(source, file))) as Record<string, unknown>;
    for (const value of Object.values(exported)) {
      const { $id, properties } = Object(value) as { $id?: unknown; properties?: unknown };
      if (typeof $id !== 'string' || properties === undefined) continue;
      const schema = value as TSchema; // it has what one has
      assert.ok((found.get(`${$id}#`) ?? schema) === schema, `two schemas are called ${$id}`);
      found.set(`${$id}#`, schema);
    }
  }
  return found;
}

/** It is another one with more beside it. */
function containsAnother(noun: TObject): boolean {
  return [...nouns.values()].some(
    (other) =>
      other !== noun &&
      Object.entries(other.properties).every(([field, schema]) => noun.properties[field] === schema),
  );
}

/** The functions that write at least two thirds of its fields. */
function presentersOf(noun: TObject): string[] {
  const fields = Object.keys(noun.properties);
  return functions.flatMap(({ name, written }) =>
    fields.filter((field) => written.has(field)).length * 3 >= fields.length * 2 ? [name] : [],
  );
}

/** Of the server, with the words that they write as fields. */
function readFunctions(): { name: string; written: Set<string> }[] {
  return files
    .filter((file) => !others.test(file))
    .sort()
    .flatMap((file) => {
      const parts = readFileSync(join(source, file), 'utf8').split(beginnings);
      return parts.flatMap((part) => {
        const [, name] = /^(?:export )?(?:async )?function\*? (\w+)/.exec(part) ?? [];
        const written = new Set([...part.matchAll(/\b([a-z][a-z0-9_]*)(?=:|,| \})/g)].map(([word]) => word));
        return name === undefined || part.includes('accountCall(')
          ? []
          : [{ name: `${file} ${name}`, written }];
      });
    });
}
