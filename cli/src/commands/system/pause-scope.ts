export const everything = 'project';

export const pauseScopes = 'id of a model or an account, or project: everything (default: project)';

export function nameOfScope(scope: string): string {
  if (scope === everything) return 'Everything';
  return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(scope) ? `Account ${scope}` : `Model ${scope}`;
}
