import type { PanelModel } from '@darkroom/server/panel-contract';
import { useAccountId } from './account.ts';
import { useRead } from './queries.ts';

/** The models that there are; empty until they are read. */
export function useModels(): readonly PanelModel[] {
  const params = { account_id: useAccountId() };
  return useRead('GET /panel/accounts/:account_id/models', { params }).data?.data ?? [];
}
