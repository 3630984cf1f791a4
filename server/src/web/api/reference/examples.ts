import type { Operation, Reference } from './document.ts';
import type { Example } from './example.ts';
import { originPlaceholder } from './origin.ts';
import { plainExamples, plainSetup } from './plain-examples.ts';
import { pythonExample, pythonSetup } from './python-example.ts';
import { sampleBody } from './samples.ts';

export const setup: readonly Example[] = [
  {
    language: 'curl',
    code: `export DARKROOM_URL="${originPlaceholder}"
export DARKROOM_API_KEY="dk_…"

curl "$DARKROOM_URL/api/v1/balance" \\
  -H "Authorization: Bearer $DARKROOM_API_KEY"`,
  },
  ...plainSetup.slice(0, 1),
  { language: 'Python', code: pythonSetup(originPlaceholder) },
  ...plainSetup.slice(1),
  {
    language: 'TypeScript',
    code: `// npm install ${originPlaceholder}/sdk.tgz
import { Darkroom } from '@darkroom/sdk';

const darkroom = new Darkroom({
  baseUrl: '${originPlaceholder}',
  apiKey: process.env.DARKROOM_API_KEY ?? '',
});`,
  },
  {
    language: 'CLI',
    code: `export DARKROOM_URL="${originPlaceholder}"
export DARKROOM_API_KEY="dk_…"
npm install -g "$DARKROOM_URL/cli.tgz"

darkroom generate 'a lighthouse at dusk'`,
  },
];

export function examplesOf(operation: Operation, { basePath }: Reference): Example[] {
  const create = createPath.exec(operation.path);
  const body = operation.body && sampleBody(operation.body);
  const calls =
    create && body
      ? createCalls(create[1] ?? 'pro', body)
      : knownCalls[`${operation.method} ${operation.path}`];
  const { javascript, go } = plainExamples(operation, basePath, body);
  return [
    { language: 'curl', code: curl(operation, basePath, body) },
    javascript,
    { language: 'Python', code: pythonExample(operation, basePath, body) },
    go,
    ...(calls ?? []),
  ];
}

const createPath = /^\/(?:(\w+)\/)?(?:text|url)-generations$/;

function curl(
  { method, path, parameters, files }: Operation,
  basePath: string,
  body: object | undefined,
): string {
  const query = parameters.some((parameter) => parameter.in === 'query' && parameter.name === 'limit')
    ? '?limit=20'
    : '';
  const address = `${basePath}${path.replace(/\{(\w+)\}/g, (_, name: string) => `$${name.toUpperCase()}`)}${query}`;
  const headers = parameters.flatMap(({ in: place, name }) =>
    place === 'header' ? (headerSamples[name] ?? []) : [],
  );
  const sends = body ?? files[0];
  return [
    `curl ${method !== (sends ? 'POST' : 'GET') ? `-X ${method} ` : ''}"$DARKROOM_URL${address}"`,
    '-H "Authorization: Bearer $DARKROOM_API_KEY"',
    ...headers.map((header) => `-H "${header}"`),
    ...(files.length > 0 ? ['-H "Content-Type: image/jpeg"', '--data-binary @photo.jpg'] : []),
    ...(body ? ['-H "Content-Type: application/json"', `-d ${quote(JSON.stringify(body, null, 2))}`] : []),
  ].join(' \\\n  ');
}

const headerSamples: Record<string, string> = {
  'idempotency-key': 'Idempotency-Key: $(uuidgen)',
  prefer: 'Prefer: wait=30',
};

function createCalls(model: string, body: Record<string, unknown>): Example[] {
  const { prompt, aspect_ratio, resolution, input_images_urls } = body;
  const inputs = [input_images_urls ?? []].flat();
  const flags = [
    `-m ${model} -a ${String(aspect_ratio)}`,
    ...(resolution === undefined ? [] : [`-r ${String(resolution)}`]),
    ...inputs.map((url) => `-i ${String(url)}`),
  ];
  return [
    {
      language: 'TypeScript',
      code: `const job = await darkroom.generate('${model}', ${literal(body)});
const image = await darkroom.downloadImage(job);`,
    },
    {
      language: 'CLI',
      code: `darkroom generate ${quote(String(prompt))} \\\n  ${flags.join(' ')} -o image.png`,
    },
  ];
}

const knownCalls: Record<string, Example[]> = {
  'POST /uploads': [
    typescript(`const { url } = await darkroom.upload('photo.jpg');

// Or in one step: local files are uploaded, and deleted when the job has its copy.
const job = await darkroom.generate('pro', {
  prompt: 'the same, at night',
  aspect_ratio: 'auto',
  input_images: ['photo.jpg'],
});`),
    cli("darkroom generate 'the same, at night' -a auto -i photo.jpg -o night.png"),
  ],
  'DELETE /uploads/{upload_id}': [typescript('await darkroom.deleteUpload(uploadId);')],
  'GET /jobs/{job_id}': [
    typescript(
      `const job = await darkroom.waitForJob(jobId);\nconsole.log(job.status, job.result?.image_url);`,
    ),
    cli('darkroom jobs wait "$JOB_ID" -o image.png'),
  ],
  'GET /jobs': [
    typescript("const page = await darkroom.listJobs({ q: 'fox snow', limit: 20 });"),
    cli("darkroom jobs list -q 'fox snow' -n 20"),
  ],
  'POST /batches': [
    typescript(`const prompts = ['a lighthouse at dusk', 'a lighthouse at dawn'];
const { batch_id } = await darkroom.batches.create(
  prompts.map((prompt) => ({ model: 'nb', mode: 'text', body: { prompt, aspect_ratio: '16:9' } })),
);
const batch = await darkroom.batches.wait(batch_id);`),
    cli('darkroom batch create requests.jsonl --wait'),
  ],
  'GET /batches': [
    typescript('const page = await darkroom.batches.list({ limit: 20 });'),
    cli('darkroom batch list -n 20'),
  ],
  'GET /batches/{batch_id}': [
    typescript('const { status, counts } = await darkroom.batches.retrieve(batchId);'),
    cli('darkroom batch get "$BATCH_ID"'),
  ],
  'GET /batches/{batch_id}/results': [
    typescript(`for await (const { index, job } of darkroom.batches.results(batchId)) {
  console.log(index, job.status, job.result?.image_url);
}`),
    cli('darkroom batch results "$BATCH_ID" > results.jsonl'),
  ],
  'GET /batches/{batch_id}/images.zip': [
    typescript("await pipeline(darkroom.batches.images(batchId), createWriteStream('images.zip'));"),
    cli('darkroom batch images "$BATCH_ID" -o images.zip'),
  ],
  'POST /batches/{batch_id}/cancel': [
    typescript('const batch = await darkroom.batches.cancel(batchId);'),
    cli('darkroom batch cancel "$BATCH_ID"'),
  ],
  'GET /tags': [typescript('const tags = await darkroom.listTags();')],
  'GET /jobs/{job_id}/tags': [typescript('const { tags, starred } = await darkroom.changeTags(jobId, {});')],
  'PUT /jobs/{job_id}/tags/{tag}': [
    typescript("const { tags } = await darkroom.changeTags(jobId, { add: ['spring'] });"),
  ],
  'DELETE /jobs/{job_id}/tags/{tag}': [
    typescript("const { tags } = await darkroom.changeTags(jobId, { remove: ['spring'] });"),
  ],
  'PUT /jobs/{job_id}/star': [typescript('await darkroom.changeTags(jobId, { starred: true });')],
  'DELETE /jobs/{job_id}/star': [typescript('await darkroom.changeTags(jobId, { starred: false });')],
  'POST /jobs/{job_id}/cancel': [
    typescript('const job = await darkroom.cancelJob(jobId);'),
    cli('darkroom jobs cancel "$JOB_ID"'),
  ],
  'DELETE /jobs/{job_id}/image': [
    typescript('await darkroom.deleteImage(jobId);'),
    cli('darkroom jobs delete-image "$JOB_ID"'),
  ],
  'GET /jobs/{job_id}/image': [
    typescript(
      "const image = await darkroom.downloadImage(job, { output_format: 'jpeg', output_compression: 90 });",
    ),
  ],
  'GET /jobs/images.zip': [
    typescript("await pipeline(darkroom.downloadImages([jobId]), createWriteStream('images.zip'));"),
  ],
  'GET /events': [
    typescript(
      'for await (const { data, next_cursor } of darkroom.followEvents({ after })) {\n  await handle(data);\n  await keep(next_cursor);\n}',
    ),
  ],
  'GET /webhooks': [typescript('const endpoints = await darkroom.listEndpoints();')],
  'POST /webhooks': [
    typescript(
      "const { endpoint_id, secret } = await darkroom.addEndpoint({\n  url: 'https://example.com/failures',\n  events: ['job.failed'],\n});",
    ),
  ],
  'GET /webhooks/{endpoint_id}': [typescript('const { health } = await darkroom.getEndpoint(endpointId);')],
  'PUT /webhooks/{endpoint_id}': [
    typescript("await darkroom.replaceEndpoint('default', { url: 'https://example.com/hook' });"),
  ],
  'PATCH /webhooks/{endpoint_id}': [
    typescript('await darkroom.changeEndpoint(endpointId, { enabled: false });'),
  ],
  'DELETE /webhooks/{endpoint_id}': [typescript('await darkroom.removeEndpoint(endpointId);')],
  'POST /webhooks/{endpoint_id}/rotate': [
    typescript('const [current] = await darkroom.rotateWebhookSecret({ endpointId });'),
  ],
  'POST /webhooks/{endpoint_id}/test': [
    typescript('const { failure } = await darkroom.testWebhook({ endpointId });'),
  ],
  'GET /deliveries': [typescript("const page = await darkroom.listDeliveries({ status: 'failed' });")],
  'GET /deliveries/{delivery_id}': [
    typescript('const { history } = await darkroom.getDelivery(deliveryId);'),
  ],
  'POST /deliveries/{delivery_id}/replay': [
    typescript('const delivery = await darkroom.replayDelivery(deliveryId);'),
  ],
  'GET /deliveries/replay': [
    typescript("const count = await darkroom.countReplayable('2026-11-20T00:00:00Z');"),
  ],
  'POST /deliveries/replay': [
    typescript("const replayed = await darkroom.replayFailed('2026-11-20T00:00:00Z');"),
  ],
  'GET /entries': [
    typescript('const page = await darkroom.listEntries({ limit: 20 });'),
    cli('darkroom entries -n 20'),
  ],
  'GET /usage': [
    typescript("const { total, days } = await darkroom.usage({ group_by: 'key' });"),
    cli('darkroom usage --by key'),
  ],
  'GET /balance': [typescript('const { available } = await darkroom.balance();'), cli('darkroom balance')],
  'GET /payments': [
    typescript('for await (const payment of darkroom.listPayments()) console.log(payment.status);'),
  ],
  'POST /payments': [
    typescript("const { url } = await darkroom.createPayment('25.00');"),
    cli('darkroom pay 25'),
  ],
  'GET /payments/:payment_id': [typescript('const { status } = await darkroom.getPayment(payment_id);')],
  'POST /vouchers/redeem': [
    typescript('const { balance } = await darkroom.redeemVoucher(code);'),
    cli('darkroom redeem "$CODE"'),
  ],
  'POST /client-tokens': [
    typescript("const { token } = await darkroom.createClientToken({ models: ['nb2'], spend_cap: '0.50' });"),
  ],
  'GET /jobs.csv': [
    typescript("for await (const piece of darkroom.downloadJobTable({ status: 'done' })) file.write(piece);"),
  ],
  'GET /entries.csv': [
    typescript('for await (const piece of darkroom.downloadEntryTable()) file.write(piece);'),
  ],
  'GET /usage.csv': [
    typescript(
      "for await (const piece of darkroom.downloadUsageTable({ group_by: 'key' })) file.write(piece);",
    ),
  ],
  'GET /statements/{month}/csv': [typescript("const csv = await darkroom.getStatementTable('2026-11');")],
  'POST /jobs/{job_id}/again': [
    typescript(
      'const { price } = await darkroom.quoteAgain(jobId);\nconst { job_id } = await darkroom.again(jobId);',
    ),
  ],
  'GET /uploads': [typescript('for await (const { url } of darkroom.listUploads()) console.log(url);')],
  'GET /uploads/{upload_id}': [typescript('const { expires_at } = await darkroom.getUpload(uploadId);')],
  'GET /client-tokens': [
    typescript('for await (const { token_id } of darkroom.listClientTokens()) console.log(token_id);'),
  ],
  'GET /client-tokens/{token_id}': [
    typescript('const { expires_at } = await darkroom.getClientToken(tokenId);'),
  ],
  'DELETE /client-tokens/{token_id}': [typescript('await darkroom.revokeClientToken(tokenId);')],
  'GET /models/{model_id}': [typescript("const model = await darkroom.model('nb2');")],
  'GET /models': [typescript('const models = await darkroom.models();'), cli('darkroom models')],
};

function typescript(code: string): Example {
  return { language: 'TypeScript', code };
}

function cli(code: string): Example {
  return { language: 'CLI', code };
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function literal(body: Record<string, unknown>): string {
  const text = (value: unknown): string =>
    Array.isArray(value)
      ? `[${value.map(text).join(', ')}]`
      : typeof value === 'string'
        ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
        : JSON.stringify(value);
  return `{\n${Object.entries(body)
    .map(([name, value]) => `  ${name}: ${text(value)},\n`)
    .join('')}}`;
}
