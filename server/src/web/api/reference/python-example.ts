import type { Operation } from './document.ts';

export const pythonSetup = (origin: string) => `import os
import uuid
import requests

url = "${origin}"
darkroom = requests.Session()
darkroom.headers["Authorization"] = f"Bearer {os.environ['DARKROOM_API_KEY']}"`;

export function pythonExample(
  { method, path, parameters, files, replies }: Operation,
  basePath: string,
  body: Record<string, unknown> | undefined,
): string {
  const has = (place: string, name: string) =>
    parameters.some((parameter) => parameter.in === place && parameter.name === name);
  const headers = {
    ...(has('header', 'idempotency-key') && { 'Idempotency-Key': 'str(uuid.uuid4())' }),
    ...(has('header', 'prefer') && { Prefer: '"wait=30"' }),
    ...(files.length > 0 && { 'Content-Type': '"image/jpeg"' }),
  };
  const lines = [
    `f"{url}${basePath}${path}"`,
    ...(has('query', 'limit') ? ['params={"limit": 20}'] : []),
    ...(Object.keys(headers).length > 0 ? [`headers=${dict(headers)}`] : []),
    ...(files.length > 0 ? ['data=open("photo.jpg", "rb")'] : []),
    ...(body ? [`json=${dict(mapValues(body))}`] : []),
  ];
  return `answer = darkroom.${method.toLowerCase()}(
    ${lines.join(',\n    ')},
)
answer.raise_for_status()${replies.some(({ status }) => status === 204) ? '' : '\nprint(answer.json())'}`;
}

function mapValues(body: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, literal(value)]));
}

function dict(fields: Record<string, string>): string {
  const lines = Object.entries(fields).map(([name, code]) => `        ${JSON.stringify(name)}: ${code},\n`);
  return `{\n${lines.join('')}    }`;
}

/** JSON strings are also valid Python strings. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(', ')}]`;
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (typeof value !== 'object') return JSON.stringify(value);
  const fields = Object.entries(value).map(([name, field]) => `${JSON.stringify(name)}: ${literal(field)}`);
  return `{${fields.join(', ')}}`;
}
