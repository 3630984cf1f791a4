import Type, { type Static } from 'typebox';
import { nullable, time } from '../../../../base/http/schemas.ts';
import { toIso, toIsoOrNull } from '../../../../base/std/iso-time.ts';
import type { Report } from '../../../../jobs/reports/report-store.ts';
import { authorSchema, presentAuthor } from '../audit/author-json.ts';

const uuid = Type.String({ format: 'uuid' });

export const reportSchema = Type.Object(
  {
    report_id: uuid,
    created_at: time('When it came.'),
    account_id: uuid,
    account_name: Type.String(),
    job_id: uuid,
    reason: Type.String({ description: 'The words of the reporter.' }),
    contact: nullable(Type.String(), { description: 'How they can be reached, if they said so.' }),
    address: Type.String({ description: 'The network address of the reporter.' }),
    taken_down_at: nullable(time('When the image was taken down.')),
    evidence: nullable(
      Type.Object(
        {
          prompt: Type.String(),
          model: Type.String(),
          sha256: Type.String(),
          made_at: time('When the job was made.'),
        },
        { title: 'Evidence' },
      ),
      { description: 'The copy of an image that was taken down, until the report is resolved.' },
    ),
    resolved_at: nullable(time('When it was resolved.')),
    resolved_by: nullable(Type.String()),
    resolver: nullable(authorSchema),
  },
  { title: 'Report' },
);

export function presentReport(report: Report): Static<typeof reportSchema> {
  const { evidence } = report;
  return {
    report_id: report.id,
    created_at: toIso(report.createdAt),
    account_id: report.accountId,
    account_name: report.accountName,
    job_id: report.jobId,
    reason: report.reason,
    contact: report.contact,
    address: report.address,
    taken_down_at: toIsoOrNull(report.takenDownAt),
    evidence: evidence && {
      ...{ prompt: evidence.prompt, model: evidence.model },
      ...{ sha256: evidence.image.sha256, made_at: toIso(evidence.madeAt) },
    },
    resolved_at: toIsoOrNull(report.resolvedAt),
    resolved_by: report.resolvedBy,
    resolver: report.resolvedBy === null ? null : presentAuthor({ name: report.resolvedBy }),
  };
}
