import type { Browser } from '../browser.ts';
import type { Auditor } from './auditor.ts';

export async function actOnBrand(auditor: Auditor, operator: Browser): Promise<void> {
  const brand = { body: { name: 'Acme Images' } };
  await auditor.nothing(operator, 'POST /admin/v1/brand/preview', brand);
  await auditor.call(operator, 'PUT /admin/v1/brand', brand);
  await auditor.nothing(operator, 'PUT /admin/v1/brand', brand);
  await auditor.call(operator, 'DELETE /admin/v1/brand', {});
  await auditor.nothing(operator, 'DELETE /admin/v1/brand', {});
}
