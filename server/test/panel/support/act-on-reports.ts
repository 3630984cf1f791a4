import { randomUUID } from 'node:crypto';
import { insertReport } from '../../../src/jobs/reports/report-store.ts';
import type { World } from '../../world/world.ts';
import type { Browser } from '../browser.ts';
import type { Auditor } from './auditor.ts';

export async function actOnReports(auditor: Auditor, operator: Browser, world: World): Promise<void> {
  // A report without its job, so that nothing else is deleted.
  const report = { id: randomUUID(), accountId: world.accountId, jobId: randomUUID() };
  const said = { reason: 'a likeness', contact: null, address: '192.0.2.1' };
  await world.app.database.transaction((tx) => insertReport(tx, { ...report, ...said }));
  const params = { report_id: report.id };
  for (const call of ['take-down', 'resolve'] as const)
    await auditor.call(operator, `POST /admin/v1/reports/:report_id/${call}`, { params });
}
