import type { Browser } from '../browser.ts';
import type { Auditor } from './auditor.ts';

export async function actOnPrices(
  auditor: Auditor,
  operator: Browser,
  params: { account_id: string },
): Promise<void> {
  const group = { params: { price_group_id: 'resellers' } };
  const save = 'PUT /admin/v1/price-groups/:price_group_id';
  await auditor.call(operator, save, { ...group, body: { factor: '0.8' } });
  await auditor.nothing(operator, save, { ...group, body: { factor: '0.80' } });
  const change = 'PATCH /admin/v1/accounts/:account';
  await auditor.call(operator, change, { params, body: { price_group: 'resellers' } });
  await auditor.nothing(operator, change, { params, body: { price_group: 'resellers' } });
  await auditor.call(operator, change, { params, body: { price_group: null } });
  await auditor.call(operator, 'DELETE /admin/v1/price-groups/:price_group_id', group);
  const rate = { provider: 'bfl', model: 'flux-2-pro', rates: { credit: '0.01' } };
  await auditor.call(operator, 'PATCH /admin/v1/rates', { body: rate });
  await auditor.nothing(operator, 'PATCH /admin/v1/rates', { body: rate });
}
