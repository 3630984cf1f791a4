/** What did something, where that was no person: entries had its name in English alone, and older ones still have. */
export function actorKinds(): string[] {
  return ['alter table audit_log add column actor_kind text'];
}
