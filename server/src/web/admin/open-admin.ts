import type { FastifyInstance } from 'fastify';
import type { Brand } from '../../base/brand/brand.ts';
import { version } from '../../version.ts';
import { type AdminRow, adminPrefix } from '../api/installation-call.ts';
import { type Description, describeCalls, registerOpenApi } from '../api/openapi/register-openapi.ts';
import { type RegisterDeps, registerCalls } from '../api/register-calls.ts';
import { type AdminDeps, adminCalls } from './admin.ts';
import {
  type AdmitDeps,
  admitByCredentials,
  type BindAdminDeps,
  bindAdmin,
  describeAdminCall,
} from './bind-admin.ts';

export type OpenAdminDeps = AdminDeps & RegisterDeps & AdmitDeps & { brand: { now(): Brand } };

const description = `Runs an installation of Darkroom from programs: accounts and their money, keys and limits, models, jobs and deliveries.

Every request needs an admin key, which is made on the machine itself (\`darkroom admin-key create\`) with these scopes:
\`read\`, \`accounts\`, \`money\`, \`models\`, \`system\`. The audit log records its actions under its name.

Amounts are decimal strings, times are ISO 8601 UTC, errors are problem documents (RFC 9457) with a stable \`code\`.`;

export async function openAdmin(server: FastifyInstance, deps: OpenAdminDeps): Promise<void> {
  const calls = adminCalls(deps);
  await server.register(async (scope) => {
    registerAdmin(scope, calls, { ...deps, admit: admitByCredentials(deps) });
  });
  // The calls are described on the first request, because describing them would make startup 3 % longer.
  const describe = (title: string) =>
    describeCalls(
      { ...options, title },
      calls.map((call) => ({
        method: call.method,
        url: adminPrefix + call.path,
        schema: describeAdminCall(call),
      })),
    );
  let made: Promise<Description> | undefined;
  let title: string | undefined;
  registerOpenApi(server, adminPrefix, () => {
    const wanted = `${deps.brand.now().name} administration`;
    if (!made || title !== wanted) made = describe(wanted);
    title = wanted;
    return made;
  });
}

export function registerAdmin(
  scope: FastifyInstance,
  calls: readonly AdminRow[],
  deps: RegisterDeps & Pick<BindAdminDeps, 'admit'>,
): void {
  registerCalls(
    scope,
    calls.map((call) => bindAdmin(call, deps)),
    deps,
  );
}

const options = {
  version,
  description,
  keyNote: 'An admin key, `dka_…`.',
  serverUrl: adminPrefix,
  tags: [
    { name: 'Accounts', description: 'The accounts that pay: their limits and their retention.' },
    { name: 'Members', description: 'The people of an account, who sign in to the panel.' },
    { name: 'Money', description: 'Credits, debits, statements and usage.' },
    { name: 'Keys', description: 'The API keys of all accounts.' },
    { name: 'Jobs', description: 'The jobs of all accounts.' },
    { name: 'Batches', description: 'Batches: jobs that were created together.' },
    {
      name: 'Webhooks',
      description: "The addresses for accounts' events, and the deliveries to these addresses.",
    },
    { name: 'Models', description: 'Models, connections to providers, and the routes between them.' },
    {
      name: 'Brand',
      description: 'The name, logo and colour that people see, and emails to them.',
    },
    { name: 'System', description: 'Pauses, the state of the installation, and the audit log.' },
  ],
};
