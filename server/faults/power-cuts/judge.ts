import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

export function judgeFiles(
  folder: string,
  files: ReadonlyMap<string, Buffer>,
  told: ReadonlyMap<string, string>,
): string[] {
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
  const [databaseFile = ''] = files.keys();
  using opened = open(join(folder, databaseFile));
  const rows = <Row>(sql: string) => opened.database.prepare(sql).all() as Row[]; // the columns of each statement
  const [whole] = rows<{ quick_check: string }>('pragma quick_check(1)');
  if (whole?.quick_check !== 'ok') return [`the file is damaged: ${whole?.quick_check}`];
  const found = new Map(
    rows<{ id: string; status: string }>('select id, status from jobs').map(({ id, status }) => [id, status]),
  );
  const problems = [...told].flatMap(([id, status]) => {
    const now = found.get(id);
    if (now === undefined) return [`job ${id} was told ${status} and is lost`];
    return rank(now) < rank(status) ? [`job ${id} was told ${status} and is ${now}`] : [];
  });
  for (const { id } of rows<{ id: string }>(wrongSums)) problems.push(`account ${id} does not add up`);
  for (const { id } of rows<{ id: string }>(wrongJobs))
    problems.push(`job ${id} has entries that do not fit`);
  return problems;
}

function open(file: string) {
  const database = new DatabaseSync(file);
  return { database, [Symbol.dispose]: () => database.close() };
}

function rank(status: string): number {
  return ['queued', 'processing', 'done'].indexOf(status === 'failed' ? 'done' : status);
}

const wrongSums = `select id from accounts where
  balance_micros <> (select coalesce(sum(case kind when 'credit' then amount_micros
    when 'debit' then -amount_micros when 'capture' then -amount_micros else 0 end), 0)
    from entries where account_id = accounts.id)
  or reserved_micros <> (select coalesce(sum(price_micros), 0) from jobs
    where account_id = accounts.id and status in ('queued', 'processing'))`;

const wrongJobs = `select jobs.id from jobs left join (select job_id,
    sum(kind = 'reserve') as reserved, sum(kind = 'capture') as captured, sum(kind = 'release') as released
    from entries where job_id is not null group by job_id) as counted on counted.job_id = jobs.id
  where coalesce(reserved, 0) <> 1 or captured <> (status = 'done') or released <> (status = 'failed')
  limit 10`;
