import type { PersonRow } from '@darkroom/server/panel-contract';

/** Breaks before the @, otherwise anywhere: addresses are long and phones are narrow. */
export function Email({ person }: { person: PersonRow }) {
  if (person.email === null) return <span className="soft">not set</span>;
  const at = person.email.lastIndexOf('@');
  return (
    <span style={{ overflowWrap: 'anywhere' }}>
      {person.email.slice(0, at)}
      <wbr />
      {person.email.slice(at)}
    </span>
  );
}
