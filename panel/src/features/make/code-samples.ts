import type { Mode, ModelId } from '@darkroom/server/panel-contract';

export interface ApiRequest {
  model: ModelId;
  mode: Mode;
  body: {
    prompt: string;
    aspect_ratio: string;
    resolution?: string;
    parameters?: Record<string, string | number | boolean>;
    input_images_urls?: string[];
    callback_url?: string;
  };
}

export function codeSamples(
  request: ApiRequest,
  origin: string,
): Record<'curl' | 'Python' | 'TypeScript' | 'CLI', string> {
  return {
    curl: curl(request, origin),
    Python: python(request, origin),
    TypeScript: typescript(request, origin),
    CLI: cli(request, origin),
  };
}

function pathOf({ model, mode }: ApiRequest): string {
  return `/api/v1${model === 'pro' ? '' : `/${model}`}/${mode}-generations`;
}

function curl(request: ApiRequest, origin: string): string {
  return [
    `curl ${origin}${pathOf(request)}`,
    `  -H "Authorization: Bearer $DARKROOM_API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -H "Idempotency-Key: $(uuidgen)"`,
    `  -d ${quote(JSON.stringify(request.body, null, 2))}`,
  ].join(' \\\n');
}

/** Uses the library `requests`, because Darkroom's SDK is only for JavaScript. */
function python(request: ApiRequest, origin: string): string {
  const fields = Object.entries(request.body).map(
    ([name, value]) => `        ${JSON.stringify(name)}: ${pythonLiteral(value)},`,
  );
  return [
    'import os',
    'import uuid',
    'import requests',
    '',
    `url = ${JSON.stringify(origin)}`,
    'darkroom = requests.Session()',
    `darkroom.headers["Authorization"] = f"Bearer {os.environ['DARKROOM_API_KEY']}"`,
    'created = darkroom.post(',
    `    f"{url}${pathOf(request)}",`,
    '    headers={"Idempotency-Key": str(uuid.uuid4())},',
    '    json={',
    ...fields,
    '    },',
    ')',
    'created.raise_for_status()',
    'job = created.json()',
    'while job["status"] not in ("done", "failed"):',
    `    answer = darkroom.get(f"{url}/api/v1/jobs/{job['job_id']}", headers={"Prefer": "wait=30"})`,
    '    answer.raise_for_status()',
    '    job = answer.json()',
    'print(job["result"]["image_url"] if job["status"] == "done" else job["error"])',
  ].join('\n');
}

/** JSON's strings and numbers are valid in Python as well. */
function pythonLiteral(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(pythonLiteral).join(', ')}]`;
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (value === null) return 'None';
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(
    ([name, field]) => `${JSON.stringify(name)}: ${pythonLiteral(field)}`,
  );
  return `{${fields.join(', ')}}`;
}

function typescript({ model, body }: ApiRequest, origin: string): string {
  const fields = Object.entries(body).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`);
  return [
    `// npm install ${origin}/sdk.tgz`,
    `import { Darkroom } from '@darkroom/sdk';`,
    '',
    'const darkroom = new Darkroom({',
    `  baseUrl: '${origin}',`,
    `  apiKey: process.env.DARKROOM_API_KEY ?? '',`,
    '});',
    `const job = await darkroom.generate('${model}', {`,
    ...fields,
    '});',
    'console.log(job.result.image_url);',
  ].join('\n');
}

/** The package comes from this server, because in the public registry the name belongs to another project. */
function cli({ model, body }: ApiRequest, origin: string): string {
  const options = [
    `-m ${model}`,
    `-a ${body.aspect_ratio}`,
    ...(body.resolution ? [`-r ${body.resolution}`] : []),
    ...Object.entries(body.parameters ?? {}).map(([name, value]) => `-p ${quote(`${name}=${value}`)}`),
    ...(body.input_images_urls ?? []).map((url) => `-i ${quote(url)}`),
    ...(body.callback_url ? [`--callback-url ${quote(body.callback_url)}`] : []),
    '-o image.png',
  ];
  return [
    `DARKROOM_URL=${origin} npx -y ${origin}/cli.tgz generate`,
    ...options,
    `-- ${quote(body.prompt)}`,
  ].join(' \\\n  ');
}

/** Quotes for a POSIX shell: inside single quotes, only the single quote is special. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
