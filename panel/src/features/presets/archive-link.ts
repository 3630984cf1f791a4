import { linkOf } from '../../api/send.ts';
import { type Preset, queryOf } from './presets.ts';

export function archiveOf(account_id: string, jobIds: readonly string[], preset?: Preset): string {
  const query = { job_ids: jobIds.map(shortened).join(','), ...(preset && queryOf(preset)) };
  return linkOf('GET /api/v1/jobs/images.zip', { params: { account_id }, query });
}

/** Shortens an id to 16 bytes in base64url, so that hundreds fit into a URL. */
function shortened(id: string): string {
  const bytes = id.replaceAll('-', '').replace(/../g, (hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
