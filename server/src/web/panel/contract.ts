import type { ScreenContract } from '../api/screens/screens.ts';
import type { AccountContract, AdminContract } from '../api/table.ts';
import type { PeopleCalls } from './people/contract.ts';

export type { AuthorizationRequest } from '../../accounts/grants/authorization-request.ts';
export type { Page } from '../../base/http/cursor.ts';
export type { ProblemDocument } from '../../base/http/send-problem.ts';
export type { PauseScope } from '../../jobs/admission/pause-store.ts';
export type { JobErrorCode } from '../../jobs/job.ts';
export type { RouteReport } from '../../jobs/routes/report-routes.ts';
export type { EntryKind } from '../../money/ledger/entry.ts';
export type { DeliveryStatus } from '../../notify/webhooks/delivery.ts';
export type { EventType } from '../../notify/webhooks/event-types.ts';
export type {
  ModelDefinition,
  RouteDefinition,
  SizingDefinition,
} from '../../upstream/catalog/model-definition.ts';
export type { Mode, ModelId, ParameterSchema } from '../../upstream/catalog/models.ts';
export type { ConnectionProblem } from '../../upstream/providers/probe-connection.ts';
export type { AccountProblem } from '../api/screens/overview/find-problems.ts';
export type * from './connections/contract.ts';
export type * from './jobs/contract.ts';
export type * from './keys/contract.ts';
export type * from './limits/contract.ts';
export type * from './models/contract.ts';
export type * from './money/contract.ts';
export type * from './operator/contract.ts';
export type * from './people/contract.ts';
export type * from './retention/contract.ts';
export type { ShownBrand } from './shown-brand.ts';
export type * from './webhooks/contract.ts';

/**
 * Every call of the panel's pages, which the compiler checks against the server's handlers. Amounts are decimal
 * strings, times are ISO 8601 in UTC, and ids are UUIDs. README.md in `panel/src/api` covers sessions, errors and live
 * updates.
 */
export interface PanelCalls extends AccountContract, AdminContract, ScreenContract, PeopleCalls {}

export type Overview = AnswerOf<'GET /panel/accounts/:account_id/overview'>;
export type PanelCallName = keyof PanelCalls;
export type AnswerOf<Call extends PanelCallName> = PanelCalls[Call]['answer'];
export type BodyOf<Call extends PanelCallName> = PanelCalls[Call] extends { body: infer Body }
  ? Body
  : undefined;
export type QueryOf<Call extends PanelCallName> = PanelCalls[Call] extends { query: infer Query }
  ? Query
  : undefined;
