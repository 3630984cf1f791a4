import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthenticator } from '../accounts/authenticate.ts';
import { ensureFirstLink } from '../accounts/people/first-operator.ts';
import { linkUrl } from '../accounts/people/panel-link.ts';
import { createAdmission } from '../admission/admit-jobs.ts';
import type { CreateDeps } from '../admission/create-job.ts';
import type { UrlChecks } from '../admission/judge-urls.ts';
import { createTakeInputs } from '../admission/take-inputs.ts';
import { createUnderWay } from '../admission/under-way.ts';
import { apiCalls } from '../api/api.ts';
import { apiPrefix } from '../api/api-call.ts';
import { balanceSchema } from '../api/balance-calls.ts';
import { createCallsOf } from '../api/create-calls.ts';
import { entrySchema } from '../api/entry-calls.ts';
import { eventSchema } from '../api/event-calls.ts';
import { registerImageCalls } from '../api/image-calls.ts';
import { createdSchema, jobSchema } from '../api/job-schemas.ts';
import { registerMetrics } from '../api/metrics-calls.ts';
import { createDescription, type Description, registerOpenApi } from '../api/openapi/register-openapi.ts';
import { registerReference } from '../api/reference/register-reference.ts';
import { registerApi } from '../api/register-api.ts';
import { usageSchema } from '../api/usage-calls.ts';
import {
  attemptSchema,
  deliveryDetailSchema,
  deliverySchema,
  webhookSchema,
} from '../api/webhook-schemas.ts';
import { readNow } from '../db/rows.ts';
import { registerHealth } from '../http/health-calls.ts';
import { isBehindProxy } from '../http/host-names.ts';
import { problemSchema } from '../http/schemas.ts';
import { createServer } from '../http/server.ts';
import { type Requests, trackRequests } from '../http/track-requests.ts';
import { createDecoder } from '../inputs/decoder.ts';
import { bytesInProcess, bytesPerOwner, downloadsInProcess, downloadsPerOwner } from '../inputs/limits.ts';
import { createSemaphore } from '../inputs/semaphore.ts';
import { createSpace } from '../inputs/space.ts';
import { sweepTemp } from '../inputs/temp-folder.ts';
import { findImage } from '../jobs/job-store.ts';
import { checkInputUrl, createOpenOwnImage } from '../jobs/open-own-image.ts';
import { openPanel } from '../panel/open-panel.ts';
import { createPages } from '../panel/serve-panel.ts';
import { reportedRoutes } from '../routes/report-routes.ts';
import { lacksPublicUrl } from '../std/origin-of.ts';
import { version } from '../version.ts';
import { type Demo, ensureDemo } from './demo-account.ts';
import { type Base, placeOf } from './open-base.ts';

export interface Edge {
  /** Where it listens; null for a worker. */
  url: string | null;
  demo: Demo | null;
  /** Opens the panel once, as the first operator; null once it has been used, and for a worker. */
  panelLink: string | null;
  /**
   * Makes `/readyz` answer 503 from now on. Disposing meanwhile waits out `forMs` before the server stops
   * listening, so that load balancers notice in time.
   */
  retire(forMs: number): void;
}

// Long polls are answered at once; this is for creates whose inputs are being fetched. Together with the time
// for running attempts it stays below the 30 s that supervisors give a process.
const requestPatienceMs = 5_000;

// New connections wait here to be accepted, one per turn of the event loop. Beyond this they are dropped, and
// clients retry after 1, 3, 7, 15 s. Linux grants no more by default.
const backlog = 4_096;

/** The HTTP side. It starts to listen last, when everything behind it is ready. */
export async function openEdge(base: Base, stack: AsyncDisposableStack): Promise<Edge> {
  const { log, place } = base;
  const pages = createPages({ imageOrigin: () => new URL(place.cdnUrl).origin });
  const server = createServer({
    log,
    publicUrl: () => place.publicUrl,
    trustedProxies: base.config.http.trustedProxies,
    maxConnections: base.config.maxConnections,
    sendPage: pages.send,
  });
  const requests = trackRequests(server, log);
  await pages.register(server);
  const intake = await openIntake(base, stack);
  const description = await registerPublicApi(server, { ...base, ...intake, closing: requests.closing });
  registerUnversioned(server, { ...base, requests, description });
  const closing = new AbortController();
  await registerPanelCalls(server, { ...base, ...intake, closing: closing.signal });

  stack.defer(() => requests.drain(requestPatienceMs));
  stack.defer(() => closing.abort());
  let announced = Promise.resolve();
  stack.defer(() => announced);
  return {
    ...(await listen(server, base)),
    retire(forMs) {
      requests.retire();
      announced = sleep(forMs, undefined);
    },
  };
}

type Server = ReturnType<typeof createServer>;
type Intake = Pick<CreateDeps, 'takeInputs' | 'admit' | 'underWay'> & Pick<UrlChecks, 'checkInput'>;

/** What a valid create passes through before it becomes a job. */
async function openIntake(
  { config, log, database, images, signals, place, links, guard, fetchLimits }: Base,
  stack: AsyncDisposableStack,
): Promise<Intake> {
  const decoder = stack.use(createDecoder());
  const tempDir = join(config.dataDir, 'incoming');
  const { removed } = await sweepTemp(tempDir);
  if (removed > 0) log.info('inputs.swept', { removed });
  const takeInputs = createTakeInputs({
    images,
    log,
    guard,
    decoder,
    limits: fetchLimits,
    tempDir,
    openOwn: createOpenOwnImage({
      cdnUrl: () => place.cdnUrl,
      links,
      images,
      findImage: (jobId, input) => findImage(database.read, jobId, input),
    }),
    slots: createSemaphore(downloadsInProcess, downloadsPerOwner),
    space: createSpace({
      perOwner: bytesPerOwner,
      inProcess: bytesInProcess,
      minFree: config.minFreeDiskBytes,
    }),
  });
  const admit = createAdmission(database, () => {
    signals.queued();
    database.notify('jobs');
  });
  const checkInput = (url: string) => checkInputUrl(url, guard, place.cdnUrl);
  return { takeInputs, admit, underWay: createUnderWay(), checkInput };
}

type Serving = Base & Intake & { closing: AbortSignal };

/** Everything below `/api/v1`, and its OpenAPI description. */
async function registerPublicApi(server: Server, deps: Serving): Promise<() => Promise<Description>> {
  const { config, catalogue, database, clock } = deps;
  const schemas = [
    ...[jobSchema, createdSchema, eventSchema, balanceSchema, entrySchema, usageSchema],
    ...[webhookSchema, deliverySchema, deliveryDetailSchema, attemptSchema, problemSchema],
  ];
  for (const schema of schemas) server.addSchema(schema);
  const calls = apiCalls({ ...deps, currency: config.currency });
  await server.register(async (scope) => {
    registerApi(scope, calls, {
      catalogue,
      authenticator: createAuthenticator({ database, clock }),
      clock,
      rateLimit: config.rateLimit,
      wrongKeyLimit: config.wrongKeyLimit,
    });
  });
  const others = calls.filter(({ access }) => access !== 'its model');
  const description = createDescription(
    { version, serverUrl: apiPrefix, schemas },
    { catalogue, callsOf: (models) => [...createCallsOf(models), ...others] },
  );
  registerOpenApi(server, description);
  return description;
}

/** The reference pages, images behind signed links, health and metrics. */
function registerUnversioned(
  server: Server,
  deps: Base & { requests: Requests; description: () => Promise<Description> },
): void {
  const { config, log, database, images, links, routes, requests } = deps;
  registerReference(server, deps.description);
  registerHealth(server, { ...requests, askDatabase: () => readNow(database.read) });
  registerImageCalls(server, {
    images,
    links,
    findImage: (jobId, input) => findImage(database.read, jobId, input),
    onMissing: (jobId, key) => log.error('image.missing', { job_id: jobId, key }),
  });
  registerMetrics(server, {
    database,
    token: config.metricsToken,
    isBehindProxy: isBehindProxy(config.http),
    listRoutes: () => reportedRoutes(routes),
  });
}

async function registerPanelCalls(server: Server, deps: Serving): Promise<void> {
  const { config, clock, place } = deps;
  const { role, currency, settings, secondFactor, oidc } = config;
  await openPanel(server, {
    ...deps,
    publicUrl: () => place.publicUrl,
    installation: { role, currency, settings, secondFactor, oidc, startedAt: clock.nowMs() },
    oidc,
  });
}

async function listen(
  server: Server,
  { config, database, clock, log, place }: Base,
): Promise<Omit<Edge, 'retire'>> {
  const { host, port } = config.http;
  await server.listen({ host, port, backlog });
  const addresses = server.addresses().filter((address) => typeof address !== 'string'); // strings would be pipes
  const { publicUrl: url } = Object.assign(place, placeOf(config.http, addresses));
  if (lacksPublicUrl(config.http)) log.warn('public_url.missing', { links: url });
  const demo = await ensureDemo(
    { database, clock },
    {
      dataDir: config.dataDir,
      url,
      creditMicros: config.demoCreditMicros,
    },
  );
  const link = await ensureFirstLink({ database, clock });
  return { url, demo, panelLink: link && linkUrl(url, link) };
}
