import Type from 'typebox';
import { type AuditEntry, ownNameOf, type WrittenAuditEntry } from '../../../../base/audit/audit-store.ts';
import { hideNumbers } from '../../../../base/audit/hide-numbers.ts';
import { nullable, numberedId, time } from '../../../../base/http/schemas.ts';
import { toIso } from '../../../../base/std/iso-time.ts';
import type { OpaqueIds } from '../../../../base/std/sealing/opaque-ids.ts';
import { actorKind } from './author-json.ts';

const uuid = Type.String({ format: 'uuid' });
const scalar = Type.Unsafe<AuditEntry['detail'][string]>({
  type: ['string', 'number', 'boolean', 'null'],
});

export const auditPersonSchema = Type.Object(
  { person_id: uuid, name: Type.String() },
  { title: 'AuditPerson' },
);

export const auditSchema = Type.Object(
  {
    audit_id: numberedId('audit'),
    at: time('When it was done.'),
    by: Type.String({ description: 'A person, `the command line`, or a key by its name.' }),
    actor_kind: actorKind,
    actor_name: nullable(Type.String(), {
      description: 'The name of the person, the key or the payment provider; null if the kind is enough.',
    }),
    person: nullable(auditPersonSchema, {
      description: 'Null for the command line and keys.',
    }),
    address: nullable(Type.String(), { description: "The client's address, if there was one." }),
    action: Type.String({ examples: ['account.credited'] }),
    account_id: nullable(uuid),
    account: nullable(Type.Object({ account_id: uuid, name: Type.String() }, { title: 'AuditAccount' })),
    subject: nullable(Type.String(), { description: 'The id of the object of the action.' }),
    detail: Type.Record(Type.String(), scalar, {
      description: 'Details, such as amounts, reasons, and values before and after.',
    }),
  },
  { title: 'AuditEntry' },
);

export function presentAuditEntry(
  ids: OpaqueIds,
  { id, at, actor, action, accountId, accountName, ...noted }: WrittenAuditEntry,
) {
  return {
    audit_id: ids.seal('audit', id),
    at: toIso(at),
    by: actor.name,
    actor_kind: actor.kind ?? 'person',
    actor_name: ownNameOf(actor),
    person: actor.personId === null ? null : { person_id: actor.personId, name: actor.name },
    address: actor.address ?? null,
    action,
    account_id: accountId,
    account: accountId === null ? null : { account_id: accountId, name: accountName ?? '' },
    ...hideNumbers(ids, { action, ...noted }),
  };
}
