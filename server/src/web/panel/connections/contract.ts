import type { ScreenContract } from '../../api/screens/screens.ts';

export type { ConnectionCheck } from '../../api/nouns/connections/connection-json.ts';
export type { Changed, Serving } from '../../api/screens/connections/serve-models.ts';
export type { WorkflowFound } from '../../api/screens/connections/workflow-models.ts';

export type Connections = ScreenContract['GET /panel/operator/connections']['answer'];
export type ConnectionRow = Connections['data'][number];
export type ConnectableProvider = Connections['providers'][number];
type Offers = ScreenContract['POST /panel/operator/connections/:name/offers']['answer'];
export type ServableModel = Offers['models'][number];
export type NewWorkflowModel =
  ScreenContract['POST /panel/operator/connections/:name/workflow-models']['body'];
