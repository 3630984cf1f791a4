/** How a result is to be, where its client says so: JSON, or null. */
export function output(): string[] {
  return ['alter table jobs add column output text'];
}
