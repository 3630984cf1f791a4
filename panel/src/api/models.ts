import type { Model } from '@darkroom/server/panel-contract';
import { useAccountId } from './account.ts';
import { useRead } from './queries.ts';

export function useModels(): readonly Model[] {
  const params = { account_id: useAccountId() };
  return useRead('GET /api/v1/models', { params }).data?.data ?? [];
}
