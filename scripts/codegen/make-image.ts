import type { components, paths } from './api.ts';

// This file is copied next to the output of openapi-typescript, and runs there.
type Create = paths['/nb/text-generations']['post'];
const [url = '', key = ''] = process.argv.slice(2);

const request: Create['requestBody']['content']['application/json'] = {
  prompt: 'a lighthouse at dusk',
  aspect_ratio: '16:9',
  deadline_seconds: 120,
};
const { job_id } = await call<components['schemas']['JobCreated']>('/nb/text-generations', request);
for (;;) {
  const { status, result } = await call<components['schemas']['Job']>(`/jobs/${job_id}`);
  if (status === 'failed') throw new Error('the job failed');
  if (status !== 'done') continue;
  process.stdout.write(`TypeScript: ${result?.width} x ${result?.height}\n`);
  break;
}

async function call<Answer>(path: string, body?: object): Promise<Answer> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', prefer: 'wait=10' };
  const init = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers };
  const answer = await fetch(url + path, init);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json() as Promise<Answer>;
}
