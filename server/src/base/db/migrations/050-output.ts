/** The output options that the client asked for: JSON, or null. */
export function output(): string[] {
  return ['alter table jobs add column output text'];
}
