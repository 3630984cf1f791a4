import type { PageQuery } from './account-types.ts';

export type {
  AccountPayment,
  AuditChoices,
  AuditEntry,
  BillCheck,
  Brand,
  BrandPreview,
  Connection as ConnectionInfo,
  EmailSample,
  InstallationStatement,
  InstalledModel,
  Margin,
  MarginAlert,
  MarginList as Margins,
  ModelPlan as AppliedModels,
  ModelVersion,
  NewBrand as BrandRequest,
  NewConnection as ConnectionRequest,
  NewPause as PauseRequest,
  NewPriceGroup as PriceGroupRequest,
  NewRate as RateRequest,
  NewVouchers,
  Owed,
  Pause,
  PriceGroup,
  PriceGroupVersion,
  Rate,
  RefusedPrompt,
  Report,
  RouteCheck,
  RouteReport,
  Routes as RouteOverview,
  Server as ServerInfo,
  Status as InstallationStatus,
  Verified,
  VoucherBatch,
  VoucherRequest,
} from '../wire.ts';

export interface BillRequest {
  /** The text of the file, CSV or JSON. */
  file: string;
  /** The days to compare, including the last day; by default the days in the file. */
  from?: string;
  to?: string;
}

export interface DaysQuery {
  /** Days in UTC, including the last day. */
  from?: string;
  to?: string;
}

export interface MarginQuery extends DaysQuery {
  /** One or two of `account`, `key`, `model`, `route`, `provider`, `day` and `month`, separated by a comma. */
  group_by?: string;
}

/** A model's definition. The fields other than `id` are those of the configuration file. */
export interface ModelDefinition {
  id: string;
}

export interface ModelChangesRequest {
  models: unknown;
  /**
   * For each model, by id, the version that the change is based on, or null if the model must not exist. If a model has
   * a newer version, the change fails with `changed_meanwhile`.
   */
  if_versions?: Record<string, number | null>;
  /** Whether to apply the change. By default, the call only shows what would change. */
  apply?: boolean;
}

/** An older version of a model, and what restoring it would change. */
export interface OlderModel {
  version: number;
  definition: ModelDefinition;
  changes: Record<string, string>;
}

export type ConnectionCheck =
  | { ok: true; base_url: string | null; models: readonly { id: string; name?: string | undefined }[] }
  | { ok: false; problem: string; detail: string };

export interface AuditQuery extends AuditFilters, PageQuery {}

export interface AuditFilters {
  /** The id or the name of the account. */
  account?: string;
  person_id?: string;
  action?: string;
  /** The client's IP address, or a prefix of it, such as `10.1.`. */
  address?: string;
  /** Selects entries at or after `from`, and before `to`. */
  from?: string;
  to?: string;
}
