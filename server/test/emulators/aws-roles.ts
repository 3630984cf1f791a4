import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { s3Credentials } from '../images/s3-servers.ts';

/** Lends credentials on loopback, as an instance's metadata (only version 2) and a container's agent do. */
export interface AwsRoles extends AsyncDisposable {
  url: string;
  lifetimeMs: number;
  isDown: boolean;
  /** The authorization that the container's agent expects. */
  authorization: string;
  lent: number;
}

const metadataToken = 'metadata-token';
const role = 'images';

export async function startAwsRoles(): Promise<AwsRoles> {
  const server = createServer((request, answer) => {
    const text = answerTo(request, answer, roles);
    answer.end(text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // it listens on a port, not on a path
  const roles: AwsRoles = {
    url: `http://127.0.0.1:${port}`,
    lifetimeMs: 6 * 60 * 60 * 1000,
    isDown: false,
    authorization: 'container-token',
    lent: 0,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
  return roles;
}

function answerTo(
  { method, url, headers }: IncomingMessage,
  answer: ServerResponse,
  roles: AwsRoles,
): string {
  const credentials = `/latest/meta-data/iam/security-credentials/`;
  const refuse = (status: number) => {
    answer.statusCode = status;
    return '';
  };
  if (roles.isDown) return refuse(503);
  if (url === '/latest/api/token')
    return method === 'PUT' && Number(headers['x-aws-ec2-metadata-token-ttl-seconds']) > 0
      ? metadataToken
      : refuse(400);
  if (url === '/container') return headers.authorization === roles.authorization ? lend(roles) : refuse(401);
  if (headers['x-aws-ec2-metadata-token'] !== metadataToken) return refuse(401);
  if (url === credentials) return role;
  return url === credentials + role ? lend(roles) : refuse(404);
}

function lend(roles: AwsRoles): string {
  roles.lent += 1;
  return JSON.stringify({
    Code: 'Success',
    AccessKeyId: s3Credentials.accessKeyId,
    SecretAccessKey: s3Credentials.secretAccessKey,
    Token: `session-${roles.lent}`,
    Expiration: new Date(Date.now() + roles.lifetimeMs).toISOString(),
  });
}
