import Type, { type Static } from 'typebox';
import { accountOf } from '../../../../accounts/account-of.ts';
import { assertKnownAudit } from '../../../../accounts/assert-known-audit.ts';
import type { AuditFilter } from '../../../../base/audit/audit-store.ts';
import type { Queries } from '../../../../base/db/schema.ts';
import { AppError } from '../../../../errors.ts';

const given = (description: string, options: object = {}) =>
  Type.Optional(Type.String({ maxLength: 50, description, ...options }));

export const auditFilters = {
  account: given('Only entries of this account.', { maxLength: 100 }),
  person_id: given('Only actions of this person.'),
  action: given('Only this.', { examples: ['account.credited'] }),
  address: given('The address, or its beginning, such as `10.1.`.'),
  from: given('Entries at or after this time.', { examples: ['2026-11-20T00:00:00Z'] }),
  to: given('Before this time.'),
};

const filtersSchema = Type.Object(auditFilters);

/** @throws AppError `not_found` for an unknown account, `invalid_request` for a filter that no entry can match */
export async function readAuditFilter(
  read: Queries,
  { account, person_id: personId, action, address, from, to }: Static<typeof filtersSchema>,
): Promise<Omit<AuditFilter, 'limit' | 'before'>> {
  const filter = {
    ...(account && { accountId: (await accountOf(read, account)).id }),
    ...(personId && { personId }),
    ...(action && { action }),
    ...(address && { address }),
    ...(from && { fromMs: readTime('from', from) }),
    ...(to && { toMs: readTime('to', to) }),
  };
  await assertKnownAudit(read, filter);
  return filter;
}

function readTime(name: string, value: string): number {
  const ms = Date.parse(value);
  if (Number.isFinite(ms)) return ms;
  throw new AppError('invalid_request', `${name} must be a time such as 2026-11-20T00:00:00Z.`);
}
