/** Adds the email address that a person claims although another person has it, until one of the two confirms it. */
export function claimedEmails(): string[] {
  return [
    'alter table people add column claimed_email text',
    'create index people_by_claimed_email on people (claimed_email) where claimed_email is not null',
  ];
}
