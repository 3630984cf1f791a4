import { sql } from 'kysely';
import sharp from 'sharp';
import { drawScene } from '../scripts/provenance/scenes.ts';
import type { Database } from '../server/src/base/db/database.ts';
import { type Imprint, imprintOf, imprintSide } from '../server/src/images/imprint.ts';
import { listAlike } from '../server/src/images/renditions/imprint-store.ts';
import { openWorld } from '../server/test/world/world.ts';
import { fillWithFinishedJobs } from './fill.ts';

/** The number of drawn images. Each job's imprint mixes the bands of four of them. */
const drawn = 5_000;
const perStatement = 2_000;
const lookups = 500;
/** The maximum number of matches, as in `/verify`. */
const limit = 3;

export async function measureImprints(say: (line: string) => void, jobs: number): Promise<void> {
  await using world = await openWorld({ worker: false });
  const { database } = world.app;
  await fillWithFinishedJobs(database, world.accountId, jobs);
  const models = await drawImprints('result', drawn);
  await insertImprints(database, models);
  say(`### a copy looked for among ${jobs.toLocaleString('en')} imprints\n`);
  say('| | found | p50 ms | p99 ms | longest ms |\n|---|---|---|---|---|');
  const copies = await storedImprints(database);
  for (const [what, asked] of [
    ['four bits changed', copies.map(withChanges)],
    ['strangers', await drawImprints('stranger', lookups)],
  ] as const) {
    const took: number[] = [];
    let found = 0;
    for (const imprint of asked) {
      const began = performance.now();
      const alike = await listAlike(database.read, imprint, { limit });
      took.push(performance.now() - began);
      if (alike.length > 0) found += 1;
    }
    took.sort((one, other) => one - other);
    const at = (part: number) => (took[Math.floor(took.length * part)] ?? 0).toFixed(1);
    say(`| ${what} | ${found} of ${asked.length} | ${at(0.5)} | ${at(0.99)} | ${took.at(-1)?.toFixed(1)} |`);
  }
  say('');
}

async function drawImprints(name: string, count: number): Promise<Imprint[]> {
  const imprints: Imprint[] = [];
  for (let index = 0; index < count; index += 1) {
    const grey = await sharp(await drawScene(`${name} ${index}`, imprintSide * 2))
      .resize({ width: imprintSide, height: imprintSide, fit: 'fill' })
      .toColourspace('b-w')
      .raw()
      .toBuffer();
    const imprint = imprintOf(grey);
    if (imprint) imprints.push(imprint);
  }
  return imprints;
}

/**
 * Builds each job's imprint from bands of four random images, and changes one bit in half of the bands, so that band
 * values occur as often as among real images.
 */
async function insertImprints(database: Database, models: readonly Imprint[]): Promise<void> {
  const any = (): Imprint => models[Math.floor(Math.random() * models.length)] ?? { bands: [], fine: '' };
  const bandOf = (at: number) =>
    (any().bands[at] ?? 0) ^ (Math.random() < 0.5 ? 0 : 1 << Math.floor(Math.random() * 16));
  for (let last = '00000000-0000-7000-8000-000000000000'; ; ) {
    const ids = await sql<{
      id: string;
      account_id: string;
    }>`select id, account_id from jobs where id > ${last}
      order by id limit ${perStatement}`.execute(database.read);
    if (ids.rows.length === 0) break;
    const rows = ids.rows.map(
      ({ id, account_id }) => `('${id}', '${account_id}', ${[0, 1, 2, 3].map(bandOf)}, '${any().fine}')`,
    );
    await database.transaction((tx) =>
      sql
        .raw(`insert into imprints (job_id, account_id, band_0, band_1, band_2, band_3, fine) values ${rows}`)
        .execute(tx),
    );
    last = ids.rows.at(-1)?.id ?? last;
  }
  // On a server, the database would analyze the table itself.
  await database.transaction((tx) => sql.raw('analyze imprints').execute(tx));
}

async function storedImprints(database: Database): Promise<Imprint[]> {
  const { rows } = await sql<
    { fine: string } & Record<`band_${0 | 1 | 2 | 3}`, number>
  >`select fine, band_0, band_1, band_2,
    band_3 from imprints order by fine limit ${lookups}`.execute(database.read);
  return rows.map(({ fine, band_0, band_1, band_2, band_3 }) => ({
    bands: [band_0, band_1, band_2, band_3],
    fine,
  }));
}

function withChanges({ bands, fine }: Imprint): Imprint {
  return { bands: bands.map((band) => band ^ (1 << Math.floor(Math.random() * 16))), fine };
}
