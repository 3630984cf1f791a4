/** A name above the email address. On narrow screens, the address may break before its @. */
export function PersonName({ person: { name, email } }: { person: { name: string; email: string | null } }) {
  const at = email?.lastIndexOf('@');
  return (
    <>
      <strong>{name}</strong>
      <div className="soft tiny" style={{ overflowWrap: 'anywhere' }}>
        {email === null ? (
          'no email set'
        ) : (
          <>
            {email.slice(0, at)}
            <wbr />
            {email.slice(at)}
          </>
        )}
      </div>
    </>
  );
}
