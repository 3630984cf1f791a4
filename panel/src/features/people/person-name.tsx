/** A name above the email address, which may break before its @ on narrow screens. */
export function PersonName({ person: { name, email } }: { person: { name: string; email: string | null } }) {
  const at = email?.lastIndexOf('@');
  return (
    <>
      <strong>{name}</strong>
      <div className="soft tiny" style={{ overflowWrap: 'anywhere' }}>
        {email === null ? (
          'no e-mail set'
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
