import type { Queries } from '../../base/db/schema.ts';
import { findMembership } from './people-store.ts';
import { type OperatorRole, rightsOf } from './roles.ts';

export async function maySeeImages(
  queries: Queries,
  { personId, operatorRole: operator }: { personId: string; operatorRole: OperatorRole | null },
  accountId: string,
): Promise<boolean> {
  const membership = await findMembership(queries, { accountId, personId });
  return rightsOf({ operator, member: membership?.role ?? null }).includes('see_pictures');
}
