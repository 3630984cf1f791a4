import type { ScreenContract } from '../../api/screens/screens.ts';
import type { AccountContract, AdminContract } from '../../api/table.ts';

export type OperatorAccount = AdminContract['GET /admin/v1/accounts/:account']['answer'];

type Operators = ScreenContract['GET /panel/operator/operators']['answer'];
export type InvitationRow =
  | Operators['invitations'][number]
  | AccountContract['GET /api/v1/invitations']['answer']['data'][number];
/** A link that can be opened once, and is shown once. */
export type Invitation = ScreenContract['POST /panel/operator/operators/invite']['answer'];

export type Server = AdminContract['GET /admin/v1/server']['answer'];
export type Status = AdminContract['GET /admin/v1/status']['answer'];

export type AuditQuery = AdminContract['GET /admin/v1/audit.csv']['query'];
export type AuditRow = AdminContract['GET /admin/v1/audit']['answer']['data'][number];
