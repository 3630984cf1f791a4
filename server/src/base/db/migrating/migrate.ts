import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type Database, DatabaseUnavailable } from '../database.ts';
import { endpoints } from '../migrations/020-endpoints.ts';
import { keyAddresses } from '../migrations/021-key-addresses.ts';
import { limits } from '../migrations/022-limits.ts';
import { deadlines } from '../migrations/023-deadlines.ts';
import { defaultLimits } from '../migrations/024-default-limits.ts';
import { retention } from '../migrations/025-retention.ts';
import { rates } from '../migrations/026-rates.ts';
import { statements } from '../migrations/027-statements.ts';
import { erasure } from '../migrations/028-erasure.ts';
import { adminKeys } from '../migrations/029-admin-keys.ts';
import { debits } from '../migrations/030-debits.ts';
import { roles } from '../migrations/031-roles.ts';
import { batches } from '../migrations/032-batches.ts';
import { filters } from '../migrations/033-filters.ts';
import { events } from '../migrations/034-events.ts';
import { alerts } from '../migrations/035-alerts.ts';
import { batchTargets } from '../migrations/036-batch-targets.ts';
import { activity } from '../migrations/037-activity.ts';
import { expectedAccounts } from '../migrations/038-expected-accounts.ts';
import { erasedAccounts } from '../migrations/039-erased-accounts.ts';
import { processes } from '../migrations/040-processes.ts';
import { cancelling } from '../migrations/041-cancelling.ts';
import { doneJobs } from '../migrations/042-done-jobs.ts';
import { claimedEmails } from '../migrations/043-claimed-emails.ts';
import { batchJobsUnderWay } from '../migrations/044-batch-jobs-under-way.ts';
import { keptAnswers } from '../migrations/045-kept-answers.ts';
import { unansweredRequests } from '../migrations/046-unanswered-requests.ts';
import { batchFiles } from '../migrations/047-batch-files.ts';
import { adminKeyNetworks } from '../migrations/048-admin-key-networks.ts';
import { output } from '../migrations/050-output.ts';
import { imprints } from '../migrations/051-imprints.ts';
import { attemptCosts } from '../migrations/053-attempt-costs.ts';
import { margins } from '../migrations/054-margins.ts';
import { refusals } from '../migrations/055-refusals.ts';
import { reports } from '../migrations/056-reports.ts';
import { keptImages } from '../migrations/057-kept-images.ts';
import { albums } from '../migrations/058-albums.ts';
import { attemptBeginnings } from '../migrations/060-attempt-beginnings.ts';
import { marginsByAccount } from '../migrations/061-margins-by-account.ts';
import { looks } from '../migrations/063-looks.ts';
import { vouchers } from '../migrations/064-vouchers.ts';
import { entriesOfOperators } from '../migrations/065-entries-of-operators.ts';
import { priceGroups } from '../migrations/067-price-groups.ts';
import { incidents } from '../migrations/068-incidents.ts';
import { duplicates } from '../migrations/072-duplicates.ts';
import { batchNames } from '../migrations/073-batch-names.ts';
import { payments } from '../migrations/074-payments.ts';
import { costsWithCaptures } from '../migrations/075-costs-with-captures.ts';
import { signUp } from '../migrations/077-sign-up.ts';
import { reversals } from '../migrations/080-reversals.ts';
import { ownRates } from '../migrations/084-own-rates.ts';
import { expiringKeys } from '../migrations/085-expiring-keys.ts';
import { emailOptOuts } from '../migrations/090-email-opt-outs.ts';
import { passkeys } from '../migrations/091-passkeys.ts';
import { reachedLimits } from '../migrations/092-reached-limits.ts';
import { topUps } from '../migrations/093-top-ups.ts';
import { languages } from '../migrations/096-languages.ts';
import { toldMargins } from '../migrations/097-told-margins.ts';
import { erasingSince } from '../migrations/098-erasing-since.ts';
import { actorKinds } from '../migrations/099-actor-kinds.ts';
import { shareMakers } from '../migrations/100-share-makers.ts';
import { rolledKeys } from '../migrations/101-rolled-keys.ts';
import { savedCards } from '../migrations/102-saved-cards.ts';
import { freeCreditsByTime } from '../migrations/103-free-credits-by-time.ts';
import { type Dialect, postgresDialect, sqliteDialect } from '../migrations/dialect.ts';
import { initial } from '../migrations/early/001-initial.ts';
import { webhooks } from '../migrations/early/002-webhooks.ts';
import { panel } from '../migrations/early/003-panel.ts';
import { routes } from '../migrations/early/004-route-health.ts';
import { hotPaths } from '../migrations/early/005-hot-paths.ts';
import { secondFactor } from '../migrations/early/006-second-factor.ts';
import { auditByPerson } from '../migrations/early/007-audit-by-person.ts';
import { auditAddress } from '../migrations/early/008-audit-address.ts';
import { signInFailures } from '../migrations/early/009-sign-in-failures.ts';
import { creditKeys } from '../migrations/early/010-credit-keys.ts';
import { tracing } from '../migrations/early/011-tracing.ts';
import { invitations } from '../migrations/early/012-invitations.ts';
import { models } from '../migrations/early/013-models.ts';
import { uploads } from '../migrations/early/014-uploads.ts';
import { costs } from '../migrations/early/015-costs.ts';
import { clientTokens } from '../migrations/early/016-client-tokens.ts';
import { pictures } from '../migrations/early/017-pictures.ts';
import { find } from '../migrations/early/018-find.ts';
import { shares } from '../migrations/early/019-shares.ts';
import type { Queries, Tx } from '../schema.ts';
import {
  checkMigrated,
  fingerprintOf,
  isReadable,
  type Migration,
  newerSchema,
  readColumns,
} from './check-migrated.ts';
import { migrateOnline, progressTable } from './migrate-online.ts';
import { readStatement } from './read-statement.ts';

/** The migrations in order. A released migration is never edited, only followed by another. */
export const migrations: readonly Migration[] = [
  { name: 'initial', statements: initial },
  { name: 'webhooks', statements: webhooks },
  { name: 'panel', statements: panel },
  { name: 'routes', statements: routes },
  { name: 'hot paths', statements: hotPaths },
  { name: 'second factor', statements: secondFactor },
  { name: 'audit by person', statements: auditByPerson },
  { name: 'audit address', statements: auditAddress },
  { name: 'sign-in failures', statements: signInFailures },
  { name: 'credit keys', statements: creditKeys },
  { name: 'tracing', statements: tracing },
  { name: 'invitations', statements: invitations },
  { name: 'models', statements: models },
  { name: 'uploads', statements: uploads },
  { name: 'costs', statements: costs },
  { name: 'client tokens', statements: clientTokens },
  { name: 'pictures', statements: pictures },
  { name: 'find', statements: find },
  { name: 'shares', statements: shares },
  { name: 'limits', statements: limits },
  { name: 'endpoints', statements: endpoints },
  { name: 'deadlines', statements: deadlines },
  { name: 'key addresses', statements: keyAddresses },
  { name: 'default limits', statements: defaultLimits },
  { name: 'retention', statements: retention },
  { name: 'rates', statements: rates },
  { name: 'statements', statements },
  { name: 'erasure', statements: erasure },
  { name: 'admin keys', statements: adminKeys },
  { name: 'debits', statements: debits },
  { name: 'roles', statements: roles },
  { name: 'batches', statements: batches },
  { name: 'filters', statements: filters },
  { name: 'events', statements: events },
  { name: 'alerts', statements: alerts },
  { name: 'batch-targets', statements: batchTargets },
  { name: 'activity', statements: activity },
  { name: 'expected accounts', statements: expectedAccounts, isExpansion: true },
  { name: 'erased accounts', statements: erasedAccounts, isExpansion: true },
  { name: 'processes', statements: processes, isExpansion: true },
  { name: 'cancelling', statements: cancelling, isExpansion: true },
  { name: 'done jobs', statements: doneJobs, isExpansion: true },
  { name: 'claimed emails', statements: claimedEmails, isExpansion: true },
  { name: 'jobs of batches under way', statements: batchJobsUnderWay, isExpansion: true },
  { name: 'kept answers', statements: keptAnswers, isExpansion: true },
  { name: 'unanswered requests', statements: unansweredRequests, isExpansion: true },
  { name: 'batch files', statements: batchFiles, isExpansion: true },
  { name: 'networks of admin keys', statements: adminKeyNetworks, isExpansion: true },
  { name: 'output', statements: output, isExpansion: true },
  { name: 'imprints', statements: imprints, isExpansion: true },
  { name: 'attempt costs', statements: attemptCosts, isExpansion: true },
  { name: 'margins', statements: margins, isExpansion: true },
  { name: 'refusals', statements: refusals, isExpansion: true },
  { name: 'reports', statements: reports, isExpansion: true },
  { name: 'kept images', statements: keptImages, isExpansion: true },
  { name: 'beginnings of attempts', statements: attemptBeginnings, isExpansion: true },
  { name: 'margins by account', statements: marginsByAccount, isExpansion: true },
  { name: 'albums', statements: albums, isExpansion: true },
  { name: 'looks', statements: looks, isExpansion: true },
  { name: 'vouchers', statements: vouchers, isExpansion: true },
  { name: 'duplicates', statements: duplicates, isExpansion: true },
  { name: 'price groups', statements: priceGroups, isExpansion: true },
  { name: 'entries of operators', statements: entriesOfOperators, isExpansion: true },
  { name: 'incidents', statements: incidents, isExpansion: true },
  { name: 'names of batches', statements: batchNames, isExpansion: true },
  { name: 'payments', statements: payments, isExpansion: true },
  { name: 'costs with captures', statements: costsWithCaptures },
  { name: 'reversals', statements: reversals },
  { name: 'sign up', statements: signUp, isExpansion: true },
  { name: 'own rates', statements: ownRates, isExpansion: true },
  { name: 'expiring keys', statements: expiringKeys, isExpansion: true },
  { name: 'email opt outs', statements: emailOptOuts, isExpansion: true },
  { name: 'passkeys', statements: passkeys, isExpansion: true },
  { name: 'reached limits', statements: reachedLimits, isExpansion: true },
  { name: 'told margins', statements: toldMargins, isExpansion: true },
  { name: 'languages', statements: languages, isExpansion: true },
  { name: 'top ups', statements: topUps, isExpansion: true },
  { name: 'erasing since', statements: erasingSince, isExpansion: true },
  { name: 'actor kinds', statements: actorKinds, isExpansion: true },
  { name: 'share makers', statements: shareMakers, isExpansion: true },
  { name: 'rolled keys', statements: rolledKeys, isExpansion: true },
  { name: 'saved cards', statements: savedCards, isExpansion: true },
  { name: 'free credits by time', statements: freeCreditsByTime, isExpansion: true },
];

// An arbitrary number, unlikely to be used by other programs on the same PostgreSQL server.
const postgresLock = 4_736_251;
const lockPatienceMs = 10 * 60 * 1000;
const askAgainMs = 200;

/**
 * Migrates the schema under a lock, so that any number of processes can start simultaneously. On a PostgreSQL database
 * in use, other processes can read and write meanwhile. If this process is killed, the next start continues.
 * @throws DatabaseRefused if the schema does not match its migrations, or a newer program did more than add to it
 * @throws DatabaseUnavailable if another process migrates, or locks a table, for too long
 */
export async function migrate(database: Database): Promise<{ from: number; to: number }> {
  const dialect = database.kind === 'sqlite' ? sqliteDialect : postgresDialect;
  const { from, isInUse } = await database.transaction(async (tx) => {
    if (database.kind === 'postgres') {
      await sql`set local lock_timeout = 0`.execute(tx);
      await untilTaken(async () => {
        const { rows } = await sql<{ taken: boolean }>`
          select pg_try_advisory_xact_lock(${sql.lit(postgresLock)}) as taken`.execute(tx);
        return rows[0]?.taken;
      });
    }
    await ensureBasics(tx, dialect);
    const from = await schemaVersion(tx);
    if (!(await isReadable(tx, migrations.length))) throw newerSchema(from, migrations.length);
    await checkMigrated(tx, migrations, dialect);
    const isInUse = database.kind === 'postgres' && from > 0;
    if (!isInUse) for (const each of pending(from)) await migrateAtOnce(tx, each, dialect);
    return { from, isInUse };
  });
  if (isInUse && from < migrations.length) await migrateBesideOthers(database);
  return { from, to: Math.max(from, migrations.length) };
}

interface Pending {
  version: number;
  migration: Migration;
}

function pending(from: number): Pending[] {
  return migrations.slice(from).map((migration, nth) => ({ version: from + nth + 1, migration }));
}

async function migrateAtOnce(tx: Tx, each: Pending, dialect: Dialect): Promise<void> {
  for (const statement of each.migration.statements(dialect)) {
    // Does not sample the new, empty tables: until PostgreSQL samples a table, it plans as if the table had some rows.
    if (readStatement(statement).change === 'sample rows') continue;
    if (dialect.kind === 'sqlite' && statement.includes(' add column ')) await addColumn(tx, statement);
    else await sql.raw(statement).execute(tx);
  }
  await sql.raw(recordOf(each, dialect)).execute(tx);
}

/** Adds a column without checking every existing row again, which would take half the time of an upgrade. */
async function addColumn(tx: Tx, statement: string): Promise<void> {
  await sql`pragma ignore_check_constraints = on`.execute(tx);
  try {
    await sql.raw(statement).execute(tx);
  } finally {
    await sql`pragma ignore_check_constraints = off`.execute(tx);
  }
}

async function migrateBesideOthers(database: Database): Promise<void> {
  await using session = await database.openSession();
  // The session holds the lock until it ends. This polls, because a statement that waits for a lock blocks index
  // builds.
  await untilTaken(async () => {
    const [row] = await session.run<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      postgresLock,
    ]);
    return row?.taken;
  });
  await session.run(progressTable);
  const from = await schemaVersion(database.read); // another process may have migrated meanwhile
  for (const each of pending(from))
    await migrateOnline(session, { ...each, record: recordOf(each, postgresDialect) });
  await session.run('drop table migration_progress');
}

function recordOf({ version, migration }: Pending, dialect: Dialect): string {
  return `insert into migrations (version, name, applied_at, fingerprint, is_expansion)
    values (${version}, '${migration.name}', now_ms(), '${fingerprintOf(migration, dialect)}', ${migration.isExpansion ? 1 : 0})`;
}

/** Polls, because a statement that waited for the lock would reach the statement timeout. */
async function untilTaken(take: () => Promise<boolean | undefined>): Promise<void> {
  for (const giveUpAt = performance.now() + lockPatienceMs; !(await take()); await sleep(askAgainMs))
    if (performance.now() > giveUpAt)
      throw new DatabaseUnavailable(
        'Another process is still changing the database. Start again when it is done.',
      );
}

async function ensureBasics(tx: Tx, dialect: Dialect): Promise<void> {
  const { kind, int, strict } = dialect;
  if (kind === 'postgres') for (const statement of postgresFunctions) await sql.raw(statement).execute(tx);
  await sql
    .raw(
      `create table if not exists migrations (
        version ${int} primary key, name text not null, applied_at ${int} not null, fingerprint text, is_expansion ${int}) ${strict}`,
    )
    .execute(tx);
  const columns = await readColumns(tx, dialect, 'migrations');
  for (const [name, type] of [
    ['fingerprint', 'text'],
    ['is_expansion', int],
  ])
    if (!columns.has(`migrations.${name}`))
      await sql.raw(`alter table migrations add column ${name} ${type}`).execute(tx);
}

export async function schemaVersion(queries: Queries): Promise<number> {
  const row = await queries
    .selectFrom('migrations')
    .select((eb) => eb.fn.max('version').as('version'))
    .executeTakeFirst();
  return row?.version ?? 0;
}

// SQLite needs no such functions: the connection provides `now_ms`, and triggers refuse changes directly.
const postgresFunctions = [
  `do $$ begin
    if to_regproc('now_ms') is null then
      create function now_ms() returns bigint language sql volatile as
        'select (extract(epoch from clock_timestamp()) * 1000)::bigint';
      create function reject_change() returns trigger language plpgsql as
        'begin raise exception ''%'', tg_argv[0]; end';
    end if;
  end $$`,
];
