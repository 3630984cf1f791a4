/** Adds the output options of the client, as JSON or null. */
export function output(): string[] {
  return ['alter table jobs add column output text'];
}
