/** Adds the kind of an actor that is not a person. Older entries have only its English name. */
export function actorKinds(): string[] {
  return ['alter table audit_log add column actor_kind text'];
}
