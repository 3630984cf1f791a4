import Type, { type Static } from 'typebox';
import { type ActorKind, actorKinds, kindOfName, ownNameOf } from '../../../../base/audit/audit-store.ts';
import { nullable, oneOf } from '../../../../base/http/schemas.ts';

export const actorKind = oneOf(actorKinds, {
  title: 'ActorKind',
  description: 'The kind of the actor; `other` in entries of earlier versions whose name does not show it.',
});

export const authorSchema = Type.Object(
  {
    kind: actorKind,
    name: nullable(Type.String(), {
      description: 'The name of the person or the key; null if the kind is enough.',
    }),
  },
  { title: 'Author' },
);

/** @param id the person's id; null if no person made the change, undefined if only names are stored */
export function presentAuthor({
  id,
  name,
}: {
  id?: string | null;
  name: string;
}): Static<typeof authorSchema> {
  const known = kindOfName(name);
  // If only names are stored, every name except the known ones is a person's.
  const isPerson = id === undefined ? known === 'other' : id !== null;
  const kind: ActorKind = isPerson ? 'person' : known;
  return { kind, name: ownNameOf({ kind, name }) };
}
