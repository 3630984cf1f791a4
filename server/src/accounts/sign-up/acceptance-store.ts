import { nowMs } from '../../base/db/rows.ts';
import type { Tx } from '../../base/db/schema.ts';
import type { LegalDocument } from './sign-up-settings.ts';

/** Notes that a person has accepted these now. */
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
