import Type from 'typebox';
import { readPage } from '../../../../base/http/cursor.ts';
import { oneOf, page, pageQuery } from '../../../../base/http/schemas.ts';
import type { DeleteImagesDeps } from '../../../../jobs/delete-images.ts';
import { findJobs } from '../../../../jobs/job-store.ts';
import { imageGone } from '../../../../jobs/link-image.ts';
import { listReports } from '../../../../jobs/reports/report-store.ts';
import { resolveReport } from '../../../../jobs/reports/resolve-report.ts';
import { readReport, takeDown } from '../../../../jobs/reports/take-down.ts';
import { installationCall } from '../../installation-call.ts';
import { Streamed, streamed } from '../../streamed.ts';
import { openReadable } from '../images/open-rendition.ts';
import { presentReport, reportSchema } from './report-json.ts';

const tag = 'System';
const params = Type.Object({ report_id: Type.String() });

export function reportCalls(deps: DeleteImagesDeps) {
  const { database, images } = deps;
  const read = async (id: string) => presentReport(await readReport(database.read, id));
  return {
    list: installationCall({
      tag,
      operationId: 'listReports',
      summary: 'List reports of abuse, newest first',
      query: pageQuery({ status: Type.Optional(oneOf(['open', 'resolved'], { title: 'ReportStatus' })) }),
      reply: page('ReportList', reportSchema),
      handle({ query: { status = 'open', ...query } }) {
        const isOpen = status === 'open';
        return readPage(query, (slice) => listReports(database.read, { isOpen, ...slice }), presentReport);
      },
    }),

    image: installationCall({
      tag,
      operationId: 'getReportedImage',
      summary: 'View a reported image',
      description: 'The image, or its copy if it was taken down.',
      params,
      replyType: 'image/*',
      reply: streamed,
      errors: ['not_found', 'image_gone', 'storage_unavailable'],
      async handle({ params: { report_id: id } }) {
        const { evidence, jobId } = await readReport(database.read, id);
        const [job] = evidence ? [] : await findJobs(database.read, [jobId]);
        const image = evidence?.image ?? job?.image;
        if (!image) throw imageGone();
        const content = (left: AbortSignal) => openReadable(images.get(image.key), left);
        return new Streamed({ mediaType: image.mediaType, fileName: null, content });
      },
    }),

    takeDown: installationCall({
      tag,
      operationId: 'takeDownReported',
      summary: 'Take a reported image down',
      description:
        'Deletes the image, so that no link leads to it, and keeps a copy with its prompt for operators until the report is resolved. Repeating it changes nothing.',
      params,
      reply: reportSchema,
      errors: ['not_found', 'storage_unavailable'],
      async handle({ params: { report_id: id }, by }) {
        await takeDown(deps, id, by);
        return read(id);
      },
    }),

    resolve: installationCall({
      tag,
      operationId: 'resolveReport',
      summary: 'Resolve a report',
      description: 'The image stays up or down; the copy is deleted. Repeating it changes nothing.',
      params,
      reply: reportSchema,
      errors: ['not_found'],
      async handle({ params: { report_id: id }, by }) {
        await resolveReport(deps, id, by);
        return read(id);
      },
    }),
  };
}
