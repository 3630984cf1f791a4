import type { Database } from '../db/database.ts';
import type { Changes } from '../db/open-changes.ts';
import { accentOf } from './accent.ts';
import { type Brand, ownBrand } from './brand.ts';
import { brandRevision, readBrand, type SavedBrand } from './brand-store.ts';

/** The brand as this process last read it from the database, at most a second ago. `now` needs no query. */
export interface LiveBrand {
  now(): Brand;
}

export async function openBrand(database: Database, changes: Changes): Promise<LiveBrand> {
  let brand = ownBrand;
  await changes.follow({
    revision: brandRevision,
    async read() {
      brand = brandOf((await readBrand(database.read)).saved);
    },
  });
  return { now: () => brand };
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
