import { Readable } from 'node:stream';
import { type Actor, insertAuditEntry, type WrittenAuditEntry } from '../../base/audit/audit-store.ts';
import { hideNumbers } from '../../base/audit/hide-numbers.ts';
import type { Database } from '../../base/db/database.ts';
import { readNow } from '../../base/db/rows.ts';
import { toIso } from '../../base/std/iso-time.ts';
import type { NumberedKind, OpaqueIds } from '../../base/std/sealing/opaque-ids.ts';
import type { ImageStore } from '../../images/image-store.ts';
import { streamStored } from '../../images/read-stored.ts';
import { writeZip, type ZipFile } from '../../images/write-zip.ts';
import { formatMicros } from '../../money/ledger/money.ts';
import { amountOf, type Meter } from '../../money/limits/limit.ts';
import { fileKey } from '../batch-files/batch-file-store.ts';
import { listRowsOf, type Row, type SourceName, sources } from './export-store.ts';

const rowsAtOnce = 500;
/** After so many bytes, a source's rows continue in another file: many programs cannot unpack files over 2 or 4 GiB. */
const splitAfter = 2 ** 30;

export interface ExportDeps {
  database: Database;
  images: ImageStore;
  ids: OpaqueIds;
}

/** Exports one archive, piece by piece, without secrets. It is not a snapshot, so concurrent changes may be missing. */
export async function* exportAccount(
  deps: ExportDeps,
  accountId: string,
  by: Actor,
  fileBytes = splitAfter,
): AsyncGenerator<Buffer> {
  const { database } = deps;
  const now = await readNow(database.read);
  await database.transaction((tx) =>
    insertAuditEntry(tx, by, { action: 'account.exported', accountId, subject: accountId, detail: {} }),
  );
  yield* writeZip(listFiles(deps, { accountId, modifiedAt: now, fileBytes }));
}

async function* listFiles(
  { database, images, ids }: ExportDeps,
  { accountId, modifiedAt, fileBytes }: { accountId: string; modifiedAt: number; fileBytes: number },
): AsyncGenerator<ZipFile> {
  const names = Object.keys(sources) as SourceName[]; // `sources` is a constant
  for (const name of names) {
    const lines = linesOf({ database, ids }, name, accountId);
    for await (const { part, open } of inFiles(lines, fileBytes))
      yield { name: part === 1 ? `${name}.jsonl` : `${name}-${part}.jsonl`, modifiedAt, open };
  }
  for (const source of ['jobs', 'uploads', 'batch_files'] as const)
    for await (const row of rowsOf(database, source, accountId))
      for (const key of source === 'batch_files' ? [fileKey(String(row.id))] : keysIn(row))
        yield { name: key, modifiedAt, open: () => openStored(images, key) };
}

/** Splits lines into files that end with the line that reaches `fileBytes`. Each must be read before the next. */
async function* inFiles(lines: AsyncGenerator<Buffer>, fileBytes: number) {
  let next = await lines.next();
  async function* file() {
    for (let bytes = 0; !next.done && bytes < fileBytes; next = await lines.next()) {
      bytes += next.value.length;
      yield next.value;
    }
  }
  for (let part = 1; part === 1 || !next.done; part++)
    yield { part, open: async () => Readable.from(file()) };
}

async function* linesOf(
  { database, ids }: Pick<ExportDeps, 'database' | 'ids'>,
  name: SourceName,
  accountId: string,
): AsyncGenerator<Buffer> {
  for await (const row of rowsOf(database, name, accountId))
    yield Buffer.from(`${JSON.stringify(presentRow(ids, name, row))}\n`);
}

async function* rowsOf(database: Database, name: SourceName, accountId: string): AsyncGenerator<Row> {
  const limit = name === 'batch_sources' ? 1 : rowsAtOnce; // one row has the names of up to 10,000 requests
  for (let after: readonly unknown[] | null = null; ; ) {
    const page: Awaited<ReturnType<typeof listRowsOf>> = await listRowsOf(database.read, name, {
      accountId,
      after,
      limit,
    });
    yield* page.rows;
    if (page.rows.length < limit) return;
    after = page.last;
  }
}

function keysIn({ image_key, image_deleted_at, inputs, key }: Row): string[] {
  const stored = typeof inputs === 'string' ? (JSON.parse(inputs) as { key: string }[]) : []; // `insertJobs` wrote it
  return [
    ...(typeof image_key === 'string' && image_deleted_at === null ? [image_key] : []),
    ...stored.map((input) => input.key),
    ...(typeof key === 'string' ? [key] : []),
  ];
}

async function openStored(images: ImageStore, key: string): Promise<Readable | undefined> {
  const stored = await images.get(key);
  return stored && streamStored(key, stored.body);
}

const json = new Set([
  'inputs',
  'output',
  'failures',
  'notes',
  'parameters',
  'metadata',
  'detail',
  'models',
  'networks',
  'job_ids',
  'answers',
]);

const counts = new Set(['most', 'used']);

/** Presents a row as the API does: decimal amounts, ISO 8601 times, and opaque ids. */
function presentRow(ids: OpaqueIds, name: SourceName, row: Row): Row {
  const shown = presentValues(row);
  const kinds: Record<string, NumberedKind> = numbered[name] ?? {};
  for (const [column, kind] of Object.entries(kinds))
    if (typeof shown[column] === 'number') shown[column] = ids.seal(kind, shown[column]);
  return name === 'audit' ? { ...shown, ...hideNumbers(ids, shown as unknown as WrittenAuditEntry) } : shown; // an audit row
}

/** Columns with database numbers, which the API shows as opaque ids. */
const numbered: Partial<Record<SourceName, Record<string, NumberedKind>>> = {
  entries: { id: 'entry', corrects: 'entry' },
  debts: { corrects: 'entry' },
  deliveries: { id: 'delivery' },
  delivery_attempts: { delivery_id: 'delivery' },
  audit: { id: 'audit' },
};

function presentValues(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => {
      if (name.endsWith('_micros') && value !== null)
        return [name.replace(/_micros$/, ''), formatMicros(BigInt(String(value)))];
      if ((name === 'at' || name.endsWith('_at')) && typeof value === 'number') return [name, toIso(value)];
      if (typeof row.meter === 'string' && counts.has(name) && value !== null)
        return [name, amountOf(row.meter as Meter, BigInt(String(value)))]; // the column has a CHECK
      if (json.has(name) && typeof value === 'string') return [name, JSON.parse(value)];
      return [name, value];
    }),
  );
}
