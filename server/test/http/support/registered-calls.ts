import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';

export interface RegisteredCall {
  method: string;
  url: string;
}

export interface CollectedCalls extends Disposable {
  /** Calls in the order of their registration, each once, without HEAD and OPTIONS. */
  readonly calls: readonly RegisteredCall[];
}

/** Collects the calls of all servers in this process. The framework itself reports them, so none is forgotten. */
export function collectCalls(): CollectedCalls {
  const found = new Map<string, RegisteredCall>();
  const follow = (message: unknown) => {
    const { fastify } = message as { fastify: FastifyInstance }; // Fastify publishes this
    fastify.addHook('onRoute', note);
  };
  const note = ({ method: methods, url }: RouteOptions) => {
    for (const method of [methods].flat())
      if (method !== 'HEAD' && method !== 'OPTIONS') found.set(`${method} ${url}`, { method, url });
  };
  subscribe(madeServer, follow);
  return {
    get calls() {
      return [...found.values()];
    },
    [Symbol.dispose]: () => void unsubscribe(madeServer, follow),
  };
}

const madeServer = 'fastify.initialization';

export function takesBody({ method }: RegisteredCall): boolean {
  return method !== 'GET';
}

/** The path of a call; missing parameters get ids that do not exist. */
export function pathOf({ url }: RegisteredCall, params: Readonly<Record<string, string>>): string {
  return url.replace(/:([a-z_]+)/g, (_all, name: string) => encodeURIComponent(params[name] ?? nothing));
}

const nothing = '01900000-0000-7000-8000-000000000000';
