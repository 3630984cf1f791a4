import type { AdminContract } from '../../admin/admin.ts';
import type { Role } from '../../config/config.ts';
import type { Setting } from '../../config/config-report.ts';
import type { Database } from '../../db/database.ts';
import type { QueueCounts } from '../jobs/contract.ts';
import type { OperatorRole, OperatorRow, PersonRow } from '../people/contract.ts';

/** What operators do; `403 operator_required` for everyone else. */
export interface OperatorCalls {
  'GET /panel/operator/operators': { answer: Operators };
  /** Makes a link with which a person becomes an operator. */
  'POST /panel/operator/operators/invite': {
    body: { note?: string; role?: OperatorRole };
    answer: Invitation;
  };
  /** Revokes an invitation that has not been accepted. */
  'POST /panel/operator/invitations/:invitation_id/revoke': { answer: null };
  /** Makes a new link in place of one that was lost or is about to expire; the old one opens nothing any more. */
  'POST /panel/operator/invitations/:invitation_id/renew': { answer: Invitation };
  /**
   * Fails for the last operator. Also ends the sign-in links this operator made, and the sessions that began
   * with them.
   */
  'POST /panel/operator/operators/:person_id/remove': { answer: Operators };
  /** Confirms that the e-mail is this person's; `422` when they have changed it since it was read. */
  'POST /panel/operator/people/:person_id/confirm-email': { body: { email: string }; answer: PersonRow };
  /** A link that signs this person in once and lets them set a new password; ends their sessions. */
  'POST /panel/operator/people/:person_id/link': { answer: Invitation };
  'GET /panel/operator/system': { answer: System };
  /** Who did what of late, to filter by. */
  'GET /panel/operator/audit/choices': {
    answer: { people: { person_id: string; name: string }[]; actions: string[] };
  };
  /** All that match, newest first. */
  'GET /panel/operator/audit.csv': { query: AuditQuery; answer: string };
  /** The same as rows of JSON, one a line. */
  'GET /panel/operator/audit.jsonl': { query: AuditQuery; answer: string };
}

export type OperatorAccount = AdminContract['GET /admin/v1/accounts/:account']['answer'];

export interface Operators {
  data: OperatorRow[];
  /** Open invitations to become an operator. */
  invitations: InvitationRow[];
}

export interface InvitationRow {
  invitation_id: string;
  note: string | null;
  /** The operator whose removal ends it; null for the command line. */
  made_by: string | null;
  created_at: string;
  expires_at: string;
}

export interface Invitation {
  /** Opens once, and is shown once. */
  url: string;
  expires_at: string;
}

export interface System {
  version: string;
  node: string;
  started_at: string;
  role: Role;
  database: { kind: Database['kind']; bytes: number; schema_version: number };
  /** The disk is that of the data folder, wherever images are kept. */
  storage: { kind: string; disk_free_bytes: number; disk_bytes: number };
  /** Sign-ins that failed in the last ten minutes. */
  sign_in_failures: number;
  /** Those of all processes, idle ones too; `jobs` of at most `slots` are running. */
  workers: { worker: string; slots: number; jobs: number }[];
  /** Those that run on this database, the oldest first. In an upgrade their versions differ. */
  processes: { process: string; role: string; version: string; started_at: string }[];
  queue: QueueCounts;
  memory_bytes: number;
  /** Secrets are shown as `set` or `not set`. */
  configuration: Setting[];
}

/** As the administration takes them. */
export type AuditQuery = Omit<AdminContract['GET /admin/v1/audit']['query'], 'limit' | 'cursor'>;
export type AuditRow = AdminContract['GET /admin/v1/audit']['answer']['data'][number];
