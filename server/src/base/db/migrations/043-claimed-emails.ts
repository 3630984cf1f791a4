/**
 * The e-mail of a person who gave one that another person has, or whose was confirmed as another's. Nobody has confirmed that it is
 * theirs, so it keeps nobody else from it.
 */
export function claimedEmails(): string[] {
  return [
    'alter table people add column claimed_email text',
    'create index people_by_claimed_email on people (claimed_email) where claimed_email is not null',
  ];
}
