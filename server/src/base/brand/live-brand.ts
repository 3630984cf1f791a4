import type { Database } from '../db/database.ts';
import { type Followed, followRevision } from '../db/follow-revision.ts';
import type { Log } from '../std/log.ts';
import { accentOf } from './accent.ts';
import { type Brand, ownBrand } from './brand.ts';
import { readBrand, readBrandVersion, type SavedBrand } from './brand-store.ts';

/** The brand as this process last read it: at most a second ago, without a query. */
export interface LiveBrand extends Followed {
  now(): Brand;
}

/** Follows changes until disposed. */
export async function openBrand(database: Database, log: Log): Promise<LiveBrand> {
  let brand = ownBrand;
  const followed = await followRevision(
    { database, log, event: 'brand.not_read' },
    {
      readRevision: () => readBrandVersion(database.read),
      async read() {
        brand = brandOf((await readBrand(database.read)).saved);
      },
    },
  );
  return { ...followed, now: () => brand };
}

export function brandOf(saved: SavedBrand | null): Brand {
  if (!saved) return ownBrand;
  const { name, accent, support, termsUrl, privacyUrl, logo } = saved;
  return {
    ...{ name, support, termsUrl, privacyUrl },
    accent: accent === null ? ownBrand.accent : accentOf(accent),
    logo: logo && { ...logo, bytes: Buffer.from(logo.bytes, 'base64') },
  };
}
