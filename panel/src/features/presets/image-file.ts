import { linkOf } from '../../api/send.ts';
import { type Format, formatNames, type Preset, queryOf } from './presets.ts';

/** Links to the image of a job as a file with a name: as a preset or a format says, or as it was made. */
export function imageFileOf(account_id: string, job_id: string, wish: Partial<Preset> = {}): string {
  return linkOf('GET /api/v1/jobs/:job_id/image', { params: { account_id, job_id }, query: queryOf(wish) });
}

/** Lists the formats that an image does not have already. */
export function otherFormats(own: string): Format[] {
  const all = Object.keys(formatNames) as Format[]; // which has no others
  return all.filter((format) => format !== own);
}
