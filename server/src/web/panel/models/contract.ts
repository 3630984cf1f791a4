import type { ScreenContract } from '../../api/screens/screens.ts';
import type { AccountContract, AdminContract } from '../../api/table.ts';

export type Model = AccountContract['GET /api/v1/models']['answer']['data'][number];
type Models = ScreenContract['GET /panel/operator/models']['answer'];
export type OperatorModels = Models;
export type OperatorModel = Models['models'][number];
export type OperatorModelDetail = ScreenContract['GET /panel/operator/models/:model_id']['answer'];
export type InstalledModel = OperatorModel['model'];
export type ModelLock = NonNullable<OperatorModelDetail['locked']>;
export type ModelVersionRow = OperatorModelDetail['versions'][number];
/** The changes by path, such as `"0.04" → "0.05"` at `resolutions.1K.price`. */
export type ModelChanges = ModelVersionRow['changes'];
export type PauseDetail = NonNullable<OperatorModel['pause']>;
export type BillCheck = AdminContract['POST /admin/v1/costs/check']['answer'];
export type Margin = AdminContract['GET /admin/v1/margins']['answer']['data'][number];
