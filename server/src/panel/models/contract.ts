import type { ModelDefinition, RouteDefinition } from '../../catalog/model-definition.ts';
import type { ModelId, Resolution } from '../../catalog/models.ts';
import type { ModelVersion } from '../../catalog/version-store.ts';
import type { ModelMargins } from '../../jobs/read-margins.ts';
import type { RouteReport } from '../../routes/report-routes.ts';
import type { QueueCounts } from '../jobs/contract.ts';

/** Models and their routes, for operators. */
export interface ModelCalls {
  'GET /panel/operator/models': { answer: OperatorModels };
  /** Adds a model; `422` when there is one of this id. */
  'POST /panel/operator/models': { body: { definition: ModelDefinition }; answer: OperatorModelDetail };
  /** Also of a model that was removed. */
  'GET /panel/operator/models/:model_id': { answer: OperatorModelDetail };
  /**
   * `version`: the one that the change was made on; `409 changed_meanwhile` when there is a newer one. `422`
   * points to each mistake in the definition.
   */
  'POST /panel/operator/models/:model_id': {
    body: { definition: ModelDefinition; version: number };
    answer: OperatorModelDetail;
  };
  /** Checks a definition and says what it would change. Changes nothing. */
  'POST /panel/operator/models/:model_id/compare': {
    body: { definition: ModelDefinition };
    answer: { changes: ModelChanges };
  };
  'POST /panel/operator/models/:model_id/remove': { body: { version: number }; answer: OperatorModels };
  /** The definition of an older version, and what going back to it would change. */
  'GET /panel/operator/models/:model_id/versions/:version': {
    answer: { definition: ModelDefinition; changes: ModelChanges };
  };
  'POST /panel/operator/models/:model_id/versions/:version/restore': {
    body: { version: number };
    answer: OperatorModelDetail;
  };
}

export interface OperatorModels {
  project_pause: PauseDetail | null;
  models: OperatorModel[];
  /** Models that were removed, and may be brought back. */
  removed: { model: ModelId; at: string }[];
}

export interface OperatorModel {
  model: ModelId;
  name: string;
  pause: PauseDetail | null;
  prices: { resolution: Resolution; price: string }[];
  routes: RouteReport[];
  queue: QueueCounts;
  locked: ModelLock | null;
}

export interface OperatorModelDetail {
  model: ModelId;
  version: number;
  /** Null for a model that was removed. */
  definition: ModelDefinition | null;
  locked: ModelLock | null;
  /** Its routes while the definition names none. */
  implied_routes: RouteDefinition[];
  routes: RouteReport[];
  /** What clients may ask for and no route makes, as sentences. */
  uncovered: string[];
  /** What a route may name. */
  connections: { name: string; provider: string }[];
  providers: string[];
  /** The newest hundred, newest first. */
  versions: ModelVersionRow[];
}

/** Where the configuration file sets a model, which can only be changed there. */
export interface ModelLock {
  file: string;
  /** JSON pointers into the file. */
  places: string[];
}

export interface ModelVersionRow {
  version: number;
  at: string;
  by: string;
  source: ModelVersion['source'];
  removed: boolean;
  /** From the version before. */
  changes: ModelChanges;
}

/** By path: `"0.04" → "0.05"` of `resolutions.1K.price`. */
export type ModelChanges = Record<string, string>;

export interface PauseDetail {
  reason: string | null;
  until: string | null;
  since: string;
}

export type { ModelMargins };
