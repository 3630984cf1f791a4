import { sql } from 'kysely';
import type { Queries } from '../../db/schema.ts';

/** The number of results, and their bytes. */
export async function sumImages(queries: Queries): Promise<{ images: number; bytes: number }> {
  const { rows } = await sql<{ images: number; bytes: number | null }>`
    select count(image_bytes) as images, sum(image_bytes) as bytes from jobs`.execute(queries);
  return { images: rows[0]?.images ?? 0, bytes: rows[0]?.bytes ?? 0 };
}
