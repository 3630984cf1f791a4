import type { AdminRow } from '../api/installation-call.ts';
import { type AccountDeps, accountRows, type InstallationDeps, installationRows } from '../api/table.ts';
import { forAdmins } from './for-admins.ts';

export type AdminDeps = AccountDeps & InstallationDeps;

export function adminCalls(deps: AdminDeps): AdminRow[] {
  const rows = accountRows(deps);
  const owned = new Set<string>(rows.filter(({ call }) => call.ownerOf).map(({ path }) => path));
  const placing = { ...deps, isOwned: (path: string) => owned.has(path) };
  return [
    ...installationRows(deps).map(([method, path, scope, call, right]) => ({
      ...{ method, path, scope, call, right },
    })),
    ...rows.flatMap((row) => forAdmins(row, placing)),
  ];
}
