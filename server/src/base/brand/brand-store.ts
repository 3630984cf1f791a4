import type { Queries, Tx } from '../db/schema.ts';
import { claimSetting, readSetting, replaceSetting, settingOf, writeSetting } from '../db/settings-store.ts';
import type { Logo } from './brand.ts';

export interface SavedBrand {
  name: string;
  /** `#rrggbb`. */
  accent: string | null;
  support: string | null;
  termsUrl: string | null;
  privacyUrl: string | null;
  /** `bytes` in base64. */
  logo: (Omit<Logo, 'bytes'> & { bytes: string }) | null;
  changedAt: number;
  changedBy: string;
}

export interface BrandVersion {
  version: number;
  /** Null for the product's own brand. */
  saved: SavedBrand | null;
}

const names = { version: 'brand_version', brand: 'brand' };

export const brandRevision = settingOf(names.version);

export async function readBrand(queries: Queries): Promise<BrandVersion> {
  const version = Number((await readSetting(queries, names.version)) ?? 0);
  const json = await readSetting(queries, names.brand);
  return { version, saved: json === undefined ? null : (JSON.parse(json) as SavedBrand | null) }; // checked before it was written
}

export async function writeBrandIfUnchanged(tx: Tx, { version, saved }: BrandVersion): Promise<boolean> {
  const next = String(version + 1);
  const isOurs =
    version === 0
      ? await claimSetting(tx, names.version, next)
      : await replaceSetting(tx, names.version, { from: String(version), to: next });
  if (isOurs) await writeSetting(tx, names.brand, JSON.stringify(saved));
  return isOurs;
}
