import type { Brand } from '../../../base/brand/brand.ts';
import type { Catalogue } from '../../../upstream/catalog/catalogue.ts';
import type { Model } from '../../../upstream/catalog/models.ts';
import { version } from '../../../version.ts';
import { apiPrefix, type CallDescription } from '../api-call.ts';
import { schemaOf } from '../call-schema.ts';
import { type DescribedCall, type Description, describeCalls } from './register-openapi.ts';

const description = `Darkroom makes images asynchronously. A create call answers \`202\` with a \`job_id\` at once; read the job until its
\`status\` is \`done\` or \`failed\`, or use a webhook. The price is reserved when a job is created, captured when it is done
and released when it fails.

Amounts are decimal strings, times are ISO 8601 UTC, errors are problem documents (RFC 9457) with a stable \`code\`.`;

interface PublicCall {
  method: DescribedCall['method'];
  path: string;
  call: CallDescription;
}

/** Describes the public API. The description is rebuilt when the list of models or the brand changes. */
export function createPublicDescription(
  catalogue: Catalogue,
  brand: { now(): Brand },
  callsOf: (models: readonly Model[]) => readonly PublicCall[],
): () => Promise<Description> {
  let known: readonly Model[] | undefined;
  let title: string | undefined;
  let made: Promise<Description> | undefined;
  return () => {
    const models = catalogue.list();
    const { name } = brand.now();
    if (!made || known !== models || title !== name)
      made = describeCalls({ ...options, title: name }, callsOf(models).map(described));
    known = models;
    title = name;
    return made;
  };
}

const options = {
  version,
  description,
  keyNote: 'An API key, `dk_…`, or for some calls a client token, `dkc_…`.',
  serverUrl: apiPrefix,
  tags: [
    { name: 'Create', description: 'Two calls for each model: from text, and from images.' },
    { name: 'Batches', description: 'Thousands of requests that are accepted together.' },
    { name: 'Uploads', description: 'Images that have no URL, to use as inputs.' },
    { name: 'Jobs', description: 'Follow what was created.' },
    { name: 'Webhooks', description: 'The addresses for events, their deliveries, and replays.' },
    { name: 'Money', description: 'Balance, entries, statements and usage.' },
    { name: 'Account', description: 'The models of the account, and tokens for browsers.' },
  ],
};

function described({ method, path, call }: PublicCall): DescribedCall {
  return { method, url: apiPrefix + path, schema: schemaOf(call) };
}
