import { sql } from 'kysely';
import type { Tx } from '../../base/db/schema.ts';
import type { Language } from './language.ts';

/** Saves the language that a person chose; null to follow the browser's. */
export async function chooseLanguage(tx: Tx, personId: string, language: Language | null): Promise<void> {
  await tx.updateTable('people').set({ language }).where('id', '=', personId).execute();
}

/** Records the browser's language, which emails use until the person chooses one. */
export async function noteLanguage(tx: Tx, personId: string, language: Language): Promise<void> {
  await tx
    .updateTable('people')
    .set({ browser_language: language })
    .where('id', '=', personId)
    .where(sql<boolean>`coalesce(browser_language, '') <> ${language}`)
    .execute();
}
