/**
 * Adds the address of a person who entered another person's address, or whose address another person confirmed. Until
 * it is confirmed, others can use it.
 */
export function claimedEmails(): string[] {
  return [
    'alter table people add column claimed_email text',
    'create index people_by_claimed_email on people (claimed_email) where claimed_email is not null',
  ];
}
