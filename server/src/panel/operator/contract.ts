import type { AdminContract } from '../../admin/admin.ts';
import type { ScreenContract } from '../../api/screens/screens.ts';
import type { Role } from '../../config/config.ts';
import type { Setting } from '../../config/config-report.ts';
import type { Database } from '../../db/database.ts';
import type { QueueCounts } from '../jobs/contract.ts';

/** What operators do; `403 operator_required` for everyone else. */
export interface OperatorCalls {
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

type Operators = ScreenContract['GET /panel/operator/operators']['answer'];
/** An open one. */
export type InvitationRow = Operators['invitations'][number];
/** A link that opens once, and is shown once. */
export type Invitation = ScreenContract['POST /panel/operator/operators/invite']['answer'];

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
