export function output(): string[] {
  return ['alter table jobs add column output text'];
}
