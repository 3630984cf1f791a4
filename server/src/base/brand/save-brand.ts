import { isDeepStrictEqual } from 'node:util';
import { AppError, invalidField } from '../../errors.ts';
import { type Actor, insertAuditEntry } from '../audit/audit-store.ts';
import type { Database } from '../db/database.ts';
import { readNow } from '../db/rows.ts';
import { readBrand, type SavedBrand, writeBrandIfUnchanged } from './brand-store.ts';

export interface WantedBrand extends Omit<SavedBrand, 'logo' | 'changedAt' | 'changedBy'> {
  /** Undefined to keep the current logo. */
  logo: SavedBrand['logo'] | undefined;
}

/** The maximum length of a name, which fits beside a logo on one line of a phone. */
export const maxBrandName = 60;

/** Replaces the brand. `version`, if given, must be current. @throws AppError `invalid_request`, `changed_meanwhile` */
export async function saveBrand(
  { database }: { database: Database },
  { version, ...wanted }: WantedBrand & { version: number | undefined },
  by: Actor,
): Promise<void> {
  const checked = checkBrand(wanted);
  await database.transaction(async (tx) => {
    const before = await readBrand(tx);
    if (version !== undefined && version !== before.version) throw changedMeanwhile();
    const { logo = before.saved?.logo ?? null } = wanted;
    if (before.saved && isSame(before.saved, { ...checked, logo })) return;
    const saved = { ...checked, logo, changedAt: await readNow(tx), changedBy: by.name };
    if (!(await writeBrandIfUnchanged(tx, { version: before.version, saved }))) throw changedMeanwhile();
    const { name, accent, support, termsUrl, privacyUrl } = saved;
    await insertAuditEntry(tx, by, {
      ...{ action: 'brand.changed', accountId: null, subject: 'brand' },
      detail: {
        ...{ name, accent, support, terms: termsUrl, privacy: privacyUrl },
        logo: saved.logo?.hash.slice(0, 16) ?? null,
      },
    });
  });
  database.notify('models');
}

/** Restores the product's name and look. @throws AppError `changed_meanwhile` */
export async function removeBrand({ database }: { database: Database }, by: Actor): Promise<void> {
  await database.transaction(async (tx) => {
    const { version, saved } = await readBrand(tx);
    if (!saved) return;
    if (!(await writeBrandIfUnchanged(tx, { version, saved: null }))) throw changedMeanwhile();
    await insertAuditEntry(tx, by, {
      ...{ action: 'brand.removed', accountId: null, subject: 'brand', detail: {} },
    });
  });
  database.notify('models');
}

/** Returns all fields except the logo, as they are stored. @throws AppError `invalid_request` with a pointer */
export function checkBrand({
  name,
  accent,
  support,
  termsUrl,
  privacyUrl,
}: Omit<WantedBrand, 'logo'>): Omit<WantedBrand, 'logo'> {
  if (accent !== null && !/^#[0-9a-f]{6}$/i.test(accent))
    throw invalidField('/accent', 'must be a colour such as #0b7285.');
  if (support !== null && !/^[\w.+-]+@[\w.-]+$/.test(support))
    throw invalidField('/support_email', 'must be an email address.');
  return {
    name: checkName(name),
    accent: accent?.toLowerCase() ?? null,
    support,
    termsUrl: checkUrl('/terms_url', termsUrl),
    privacyUrl: checkUrl('/privacy_url', privacyUrl),
  };
}

/** Refuses characters that would break email headers and titles. */
function checkName(given: string): string {
  const name = given.trim();
  if (name === '' || [...name].length > maxBrandName)
    throw invalidField('/name', `must have 1 to ${maxBrandName} characters.`);
  if (/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}<>"@]/u.test(name))
    throw invalidField('/name', 'must be one line without < > " @ or invisible characters.');
  return name;
}

function checkUrl(pointer: string, given: string | null): string | null {
  if (given === null) return null;
  const url = URL.parse(given);
  if (!url || !['https:', 'http:'].includes(url.protocol) || url.username || url.password)
    throw invalidField(pointer, 'must be an address such as https://example.com/terms.');
  return url.href;
}

function isSame({ changedAt, changedBy, ...saved }: SavedBrand, checked: object): boolean {
  return isDeepStrictEqual(saved, checked);
}

function changedMeanwhile(): AppError {
  return new AppError(
    'changed_meanwhile',
    'Someone else has changed the brand in the meantime. Check it, then save again.',
  );
}
