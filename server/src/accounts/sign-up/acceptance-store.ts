import { nowMs } from '../../base/db/rows.ts';
import type { Queries, Tx } from '../../base/db/schema.ts';
import type { LegalDocument } from './sign-up-settings.ts';

/** Oldest first. */
export async function listAcceptances(
  queries: Queries,
  personId: string,
): Promise<{ document: LegalDocument['document']; version: string; acceptedAt: number }[]> {
  return queries
    .selectFrom('acceptances')
    .select(['document', 'version', 'accepted_at as acceptedAt'])
    .where('person_id', '=', personId)
    .orderBy('accepted_at')
    .orderBy('document')
    .execute();
}

export async function insertAcceptances(
  tx: Tx,
  personId: string,
  documents: readonly LegalDocument[],
): Promise<void> {
  if (documents.length === 0) return;
  await tx
    .insertInto('acceptances')
    .values(
      documents.map(({ document, version }) => ({
        ...{ person_id: personId, document, version, accepted_at: nowMs },
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
