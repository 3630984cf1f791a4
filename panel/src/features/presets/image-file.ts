import { linkOf } from '../../api/send.ts';
import { type Format, formatNames, type Preset, queryOf } from './presets.ts';

/** Returns the link that downloads a job's image: converted by a preset or to a format, or unchanged. */
export function imageFileOf(account_id: string, job_id: string, wish: Partial<Preset> = {}): string {
  return linkOf('GET /api/v1/jobs/:job_id/image', { params: { account_id, job_id }, query: queryOf(wish) });
}

export function otherFormats(own: string): Format[] {
  const all = Object.keys(formatNames) as Format[]; // formatNames has no other keys
  return all.filter((format) => format !== own);
}
