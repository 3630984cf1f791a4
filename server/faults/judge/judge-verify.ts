import { sql } from 'kysely';
import type { Database } from '../../src/base/db/database.ts';
import type { ImageStore } from '../../src/images/image-store.ts';
import { findViolations } from '../../src/jobs/upkeep/verify/find-violations.ts';
import { verifyImages } from '../../src/jobs/upkeep/verify/verify-images.ts';

/**
 * First expects the server's own check to find nothing. Then breaks things, each of which the check must find.
 * Afterwards restores the database, but one image stays lost.
 */
export async function judgeVerify(
  database: Database,
  images: ImageStore,
): Promise<{ counts: Record<string, number>; violations: string[] }> {
  const violations = [...(await findViolations(database.read))].map(
    ({ invariant, detail }) => `${invariant}: ${detail}`,
  );
  const verified = await verifyImages({ database, images });
  violations.push(...verified.violations.map(({ invariant, detail }) => `${invariant}: ${detail}`));

  const add = (micros: number) =>
    database.transaction((tx) =>
      sql`update accounts set balance_micros = balance_micros + ${sql.lit(micros)}
        where id = (select account_id from entries where kind = 'credit' order by id limit 1)`.execute(tx),
    );
  await add(1);
  if ((await findViolations(database.read)).length === 0)
    violations.push('verify did not notice a micro-unit that nobody deposited');
  await add(-1);

  const done = await database.read
    .selectFrom('jobs')
    .select('image_key')
    .where('status', '=', 'done')
    .executeTakeFirst();
  if (done?.image_key) {
    await images.remove(done.image_key);
    const noticed = await verifyImages({ database, images });
    if (noticed.violations.length !== verified.violations.length + 1)
      violations.push('verify did not notice an image that was removed');
  }
  return { counts: { 'images verified': verified.checked }, violations };
}
