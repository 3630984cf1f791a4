import type { ModelId } from './types.ts';

export function pathOf(model: ModelId): string {
  return model === 'pro' ? '' : `/${encodeURIComponent(model)}`;
}

export function createPath(model: ModelId, request: object): string {
  return `${pathOf(model)}/${'input_images_urls' in request ? 'url' : 'text'}-generations`;
}

export function jobPath(jobId: string): string {
  return `/jobs/${encodeURIComponent(jobId)}`;
}

export function endpointPath({ endpointId = 'default' }: { endpointId?: string }): string {
  return `/webhooks/${endpointId}`;
}

/** Adds a query to a path; an object becomes `name[key]=text`. */
export function withQuery(path: string, query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (typeof value === 'object' && value !== null)
      for (const [key, text] of Object.entries(value)) search.set(`${name}[${key}]`, String(text));
    else if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? path : `${path}?${search}`;
}

export function normalBaseUrl(text: string): string {
  const { origin, path } = placeOf(text);
  return `${origin}${path.endsWith('/api/v1') ? path : `${path}/api/v1`}`;
}

/** Returns the base URL of the administration, given the URL of a server, its API or its administration. */
export function adminBaseUrl(text: string): string {
  const { origin, path } = placeOf(text);
  return `${origin}${path.replace(/\/(api|admin)\/v1$/, '')}/admin/v1`;
}

function placeOf(text: string): { origin: string; path: string } {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new TypeError(`baseUrl must be an http or https address, not ${JSON.stringify(text)}`);
  }
  return { origin: url.origin, path: url.pathname.replace(/(?<!\/)\/+$/, '') };
}
