import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { isPageOrigin } from '../base/std/origin-of.ts';
import { SettingError } from '../errors.ts';

type Environment = Record<string, string | undefined>;

export interface HttpSettings {
  host: string;
  port: number;
  /** A port only for health and metrics; null for none. */
  healthPort: number | null;
  publicUrl: string | null;
  cdnUrl: string | null;
  trustedProxies: string[];
  corsOrigins: string[];
  /** The time for load balancers to notice that a process is about to stop. */
  shutdownDelayMs: number;
}

// Enough for slow load balancers, which check every 30 s and need several failures in a row.
const maxShutdownDelaySeconds = 120;

/** @throws SettingError */
export function readHttp(env: Environment): HttpSettings {
  return {
    host: env.HOST || '127.0.0.1',
    port: readPort('PORT', env.PORT || '3000'),
    healthPort: env.DARKROOM_HEALTH_PORT ? readPort('DARKROOM_HEALTH_PORT', env.DARKROOM_HEALTH_PORT) : null,
    publicUrl: readUrl(env, 'DARKROOM_PUBLIC_URL'),
    cdnUrl: readUrl(env, 'DARKROOM_CDN_URL'),
    trustedProxies: readTrustedProxies(env),
    corsOrigins: readOrigins(env.DARKROOM_CORS_ORIGINS),
    shutdownDelayMs: readShutdownDelay(env.DARKROOM_SHUTDOWN_DELAY_SECONDS),
  };
}

function readPort(name: string, text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new SettingError(`${name} is "${text}"; it must be a whole number from 0 to 65535.`);
}

function readShutdownDelay(text = '5'): number {
  const seconds = Number(text);
  if (/^\d+$/.test(text) && seconds <= maxShutdownDelaySeconds) return seconds * 1000;
  throw new SettingError(
    `DARKROOM_SHUTDOWN_DELAY_SECONDS is "${text}"; it must be a whole number from 0 to ${maxShutdownDelaySeconds}.`,
  );
}

function readUrl(env: Environment, name: string): string | null {
  const text = env[name];
  if (!text) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url && ['http:', 'https:'].includes(url.protocol) && !url.search && !url.hash && !url.username)
    return text.replace(/(?<!\/)\/+$/, '');
  throw new SettingError(`${name} is "${text}"; it must be an address such as https://images.example.com.`);
}

function readTrustedProxies(env: Environment): string[] {
  const name = 'DARKROOM_TRUSTED_PROXIES';
  const networks = readNetworks(env, name);
  if (!networks.some((network) => network.endsWith('/0'))) return networks;
  throw new SettingError(
    `${name} trusts every address, so that clients could claim any address; list the addresses of your proxies.`,
  );
}

function readOrigins(text: string | undefined): string[] {
  if (!text) return [];
  const origins = text.split(',').map((origin) => origin.trim());
  const wrong = origins.find((origin) => !isPageOrigin(origin));
  if (wrong === undefined) return origins;
  const why =
    wrong === '*'
      ? 'any page could then use a key or token that its visitor has; list the origins of your pages'
      : 'it must be a list of exact origins such as https://app.example.com, without path or slash at the end';
  throw new SettingError(`DARKROOM_CORS_ORIGINS has "${wrong}": ${why}.`);
}

/** Reads a list of networks. A single address gets its full prefix length. */
export function readNetworks(env: Environment, name: string): string[] {
  const text = env[name];
  if (!text) return [];
  const networks = text.split(',').map((network) => network.trim());
  for (const network of networks) {
    const address = isIP(network) ? network : undefined;
    if (!address && !ipaddr.isValidCIDR(network)) {
      throw new SettingError(
        `${name} has "${network}"; it must be a list of networks such as 10.0.0.0/8, fd00::/8.`,
      );
    }
  }
  return networks.map((network) =>
    isIP(network) ? `${network}/${isIP(network) === 4 ? 32 : 128}` : network,
  );
}
