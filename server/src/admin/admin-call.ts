import type { AdminScope } from '../accounts/admin-keys/scopes.ts';
import type { Right } from '../accounts/people/roles.ts';
import type { TypesOf } from '../api/account-call.ts';
import type { InstallationCall } from '../api/installation-call.ts';
import type { PlacedCall } from '../api/register-calls.ts';

export const adminPrefix = '/admin/v1';

/** A call with its path and the scope that it needs; calls that only read are open to the scope `read` as well. */
export interface AdminRow {
  method: PlacedCall['method'];
  /** Below `/admin/v1`. */
  path: string;
  scope: AdminScope;
  /** What an operator needs, unless it is what all calls take that read the installation, or change it. */
  right?: Right | undefined;
  call: InstallationCall;
}

/** A row as the table has it. */
export type WrittenRow = readonly [
  method: AdminRow['method'],
  path: string,
  scope: AdminScope,
  call: InstallationCall,
  right?: Right,
];

/** The types of the calls of a table, by method and path as programs send them. */
export type AdminContractOf<Rows extends readonly WrittenRow[]> = {
  [Row in Rows[number] as `${Row[0]} /admin/v1${Row[1]}`]: TypesOf<Row[3]>;
};
