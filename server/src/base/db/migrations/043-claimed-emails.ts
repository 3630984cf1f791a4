/**
 * The email of a person who gave another person's address, or lost theirs to a person who confirmed it. Unconfirmed, it
 * does not keep the address from others.
 */
export function claimedEmails(): string[] {
  return [
    'alter table people add column claimed_email text',
    'create index people_by_claimed_email on people (claimed_email) where claimed_email is not null',
  ];
}
