import { linkOf } from '../../api/send.ts';

/** Where the pictures of these jobs come as one archive. */
export function archiveOf(account_id: string, jobIds: readonly string[]): string {
  const query = { job_ids: jobIds.map(shortened).join(',') };
  return linkOf('GET /api/v1/jobs/images.zip', { params: { account_id }, query });
}

/** Its 16 bytes in base64url, so that hundreds fit into an address. */
function shortened(id: string): string {
  const bytes = id.replaceAll('-', '').replace(/../g, (hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  return btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
