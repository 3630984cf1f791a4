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

/** The same request for curl, a program and the command line. */
export function codeSamples(
  request: ApiRequest,
  origin: string,
): Record<'curl' | 'TypeScript' | 'CLI', string> {
  return { curl: curl(request, origin), TypeScript: typescript(request, origin), CLI: cli(request) };
}

function curl({ model, mode, body }: ApiRequest, origin: string): string {
  const prefix = model === 'pro' ? '' : `/${model}`;
  return [
    `curl ${origin}/api/v1${prefix}/${mode}-generations`,
    `  -H "Authorization: Bearer $DARKROOM_API_KEY"`,
    `  -H 'Content-Type: application/json'`,
    `  -H "Idempotency-Key: $(uuidgen)"`,
    `  -d ${quote(JSON.stringify(body, null, 2))}`,
  ].join(' \\\n');
}

function typescript({ model, body }: ApiRequest, origin: string): string {
  const fields = Object.entries(body).map(([name, value]) => `  ${name}: ${JSON.stringify(value)},`);
  return [
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

function cli({ model, body }: ApiRequest): string {
  const options = [
    `-m ${model}`,
    `-a ${body.aspect_ratio}`,
    ...(body.resolution ? [`-r ${body.resolution}`] : []),
    ...Object.entries(body.parameters ?? {}).map(([name, value]) => `-p ${quote(`${name}=${value}`)}`),
    ...(body.input_images_urls ?? []).map((url) => `-i ${quote(url)}`),
    ...(body.callback_url ? [`--callback-url ${quote(body.callback_url)}`] : []),
    '-o image.png',
  ];
  return ['npx darkroom generate', ...options, `-- ${quote(body.prompt)}`].join(' \\\n  ');
}

/** For a POSIX shell: inside single quotes, only the single quote is special. */
function quote(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
