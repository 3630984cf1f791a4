import { html } from '../../../../base/std/markup/html.ts';
import type { PublicStatus } from './public-status.ts';

/** Writes the incidents as Atom (RFC 4287). Each incident is one entry, which changes when the incident ends. */
export function statusFeed({ incidents, updated_at }: PublicStatus, publicUrl: string): string {
  const page = `${publicUrl}/status`;
  const entries = incidents.map(
    ({ incident_id, title, reason, began_at, ended_at, until, changed_at }) => html`<entry>
<id>urn:uuid:${incident_id}</id>
<title>${toXml(title)}</title>
<published>${began_at}</published>
<updated>${changed_at}</updated>
<link href="${page}"/>
<content type="text">${[
      ...(reason === null ? [] : [toXml(reason)]),
      `Since ${began_at}.`,
      ...(ended_at !== null ? [`Until ${ended_at}.`] : until === null ? [] : [`It ends at ${until}.`]),
    ].join(' ')}</content>
</entry>
`,
  );
  const { text } = html`<feed xmlns="http://www.w3.org/2005/Atom">
<id>${page}</id>
<title>Status</title>
<author><name>${new URL(publicUrl).host}</name></author>
<updated>${incidents[0] ? newest(incidents) : updated_at}</updated>
<link href="${page}"/>
<link rel="self" href="${publicUrl}/status.atom"/>
${entries}</feed>
`;
  return `<?xml version="1.0" encoding="utf-8"?>\n${text}`;
}

function newest(incidents: PublicStatus['incidents']): string {
  return incidents.reduce((latest, { changed_at: at }) => (at > latest ? at : latest), '');
}

/** Replaces characters that XML 1.0 forbids, even as references, because readers would refuse the whole feed. */
function toXml(text: string): string {
  return text.replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd');
}
