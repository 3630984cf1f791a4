import type { CallOptions } from '../account-calls.ts';
import { type Paged, paged } from '../pages.ts';
import { adminBaseUrl, withQuery } from '../paths.ts';
import { make, makeWithHeaders, send, type Transport } from '../send.ts';
import { openTransport, settingOf, type TransportOptions } from '../transport.ts';
import type { Page } from '../types.ts';
import type { CreditRequest, MovedAccount } from './account-types.ts';

export interface DarkroomAdminOptions extends TransportOptions {
  /** URL of the server, with or without `/admin/v1` at the end. `DARKROOM_URL` when left out. */
  baseUrl?: string | undefined;
  /**
   * An admin key, which `darkroom admin-key create` creates on the server's machine. `DARKROOM_ADMIN_KEY` when left
   * out.
   */
  adminKey?: string | undefined;
}

export const accountPath = (account: string) => `/accounts/${encodeURIComponent(account)}`;

const longestMs = 60 * 60 * 1000;

export abstract class AdminSender {
  protected readonly transport: Transport;

  constructor({ baseUrl, adminKey, ...options }: DarkroomAdminOptions = {}) {
    this.transport = openTransport(
      adminBaseUrl(settingOf(baseUrl, 'baseUrl', 'DARKROOM_URL')),
      settingOf(adminKey, 'adminKey', 'DARKROOM_ADMIN_KEY'),
      'adminKey must be an admin key such as dka_…',
      options,
    );
  }

  protected async move(path: string, body: CreditRequest, options: CallOptions): Promise<MovedAccount> {
    const { headers, body: account } = await makeWithHeaders<Omit<MovedAccount, 'replayed'>>(this.transport, {
      path,
      body,
      signal: options.signal,
    });
    return { ...account, replayed: headers.get('idempotent-replayed') === 'true' };
  }

  /** Sends a POST with an idempotency key, so that it takes effect once. */
  protected make<Body>(path: string, body: object | undefined, { signal }: CallOptions): Promise<Body> {
    return make<Body>(this.transport, { path, signal, body });
  }

  /** Sends a POST that is never retried. */
  protected once<Body>(path: string, body: object | undefined, { signal }: CallOptions): Promise<Body> {
    return send<Body>({ ...this.transport, maxRetries: 0 }, { method: 'POST', path, signal, body });
  }

  /** Sends a call that may take an hour on a large installation. */
  protected long<Body>(path: string, body: object, { signal }: CallOptions): Promise<Body> {
    const request = { method: 'POST', path, signal, body, extraTimeMs: longestMs } as const;
    return send<Body>({ ...this.transport, maxRetries: 0 }, request);
  }

  protected pages<Item>(path: string, query: object, options: CallOptions): Paged<Item> {
    return paged((place) => this.send<Page<Item>>('GET', withQuery(path, { ...query, ...place }), options));
  }

  protected async list<Item>(
    method: 'GET' | 'PATCH' | 'PUT',
    path: string,
    options: CallOptions,
    body?: object,
  ): Promise<Item[]> {
    return (await this.send<{ data: Item[] }>(method, path, options, body)).data;
  }

  protected send<Body>(
    method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE',
    path: string,
    { signal }: CallOptions,
    body?: object,
  ): Promise<Body> {
    return send<Body>(this.transport, { method, path, signal, ...(body && { body }) });
  }
}
