import { setTimeout as sleep } from 'node:timers/promises';
import { createAuthenticator } from '../accounts/authenticate.ts';
import { createCaptcha } from '../accounts/captcha/captcha.ts';
import { createGrantSealer } from '../accounts/grants/program.ts';
import { ensureFirstLink } from '../accounts/people/first-operator.ts';
import { linkUrl } from '../accounts/people/panel-link.ts';
import { createUnsubscribeLinks } from '../accounts/people/unsubscribe-links.ts';
import { deriveAuthKeys } from '../accounts/sign-in/auth-keys.ts';
import { type OpenAuth, openAuth } from '../accounts/sign-in/open-auth.ts';
import { readNow } from '../base/db/rows.ts';
import { type BodyBudget, createBodyBudget } from '../base/http/bodies/body-budget.ts';
import { registerHealth } from '../base/http/health-calls.ts';
import { isBehindProxy } from '../base/http/host-names.ts';
import { createRateLimiter, type RateLimiter } from '../base/http/rate-limit.ts';
import { createServer } from '../base/http/server.ts';
import { type Requests, trackRequests } from '../base/http/track-requests.ts';
import { lacksPublicUrl } from '../base/std/origin-of.ts';
import { createSealer } from '../base/std/sealer.ts';
import { createDecoder } from '../images/inputs/decoder.ts';
import type { OpenOwn } from '../images/inputs/fetch-input.ts';
import {
  bytesInProcess,
  bytesPerOwner,
  downloadsInProcess,
  downloadsPerOwner,
} from '../images/inputs/limits.ts';
import { createSemaphore } from '../images/inputs/semaphore.ts';
import { createSpace } from '../images/inputs/space.ts';
import type { UploadDeps } from '../images/uploads/take-upload.ts';
import { createAdmission } from '../jobs/admission/admission.ts';
import type { CreateDeps } from '../jobs/admission/create-job.ts';
import type { UrlChecks } from '../jobs/admission/judge-urls.ts';
import { createPreviewInput, type PreviewInput } from '../jobs/admission/preview-input.ts';
import type { QuoteDeps } from '../jobs/admission/quotes/quote-job.ts';
import { createTakeInputs } from '../jobs/admission/take-inputs.ts';
import { openUnanswered } from '../jobs/admission/unanswered/open-unanswered.ts';
import { createUnderWay } from '../jobs/admission/under-way.ts';
import { createFindImage } from '../jobs/find-image.ts';
import {
  checkInputUrl,
  createFindOwnImage,
  createOpenOwnImage,
  isOwnLink,
  jobOfLink,
} from '../jobs/open-own-image.ts';
import { openWaitEstimator } from '../jobs/queue/estimate/open-wait-estimator.ts';
import type { WaitEstimator } from '../jobs/queue-view.ts';
import { whyUnserved } from '../jobs/routes/coverage.ts';
import { expectedCost } from '../jobs/routes/expected-cost.ts';
import { openRouteCheck } from '../jobs/routes/open-route-check.ts';
import { keepRouteCosts } from '../jobs/routes/route-costs.ts';
import type { Metrics } from '../jobs/upkeep/create-metrics.ts';
import { allowOrigins } from '../web/api/cors.ts';
import { sectionsFor } from '../web/api/docs/contents.ts';
import { registerDocs } from '../web/api/docs/register-docs.ts';
import { createEntrance, type Entrance } from '../web/api/entrance.ts';
import { registerMetrics } from '../web/api/metrics-calls.ts';
import { registerLogo } from '../web/api/nouns/brand/register-logo.ts';
import { registerImageCalls } from '../web/api/nouns/images/image-calls.ts';
import type { JobCallDeps } from '../web/api/nouns/jobs/job-calls.ts';
import { registerSharePages } from '../web/api/nouns/jobs/share-pages.ts';
import { registerLandingPage } from '../web/api/nouns/landing/register-landing-page.ts';
import { registerPaymentMessages } from '../web/api/nouns/payments/register-payment-messages.ts';
import { registerUnsubscribePages } from '../web/api/nouns/people/unsubscribe-pages.ts';
import { registerStatusPages } from '../web/api/nouns/public-status/status-pages.ts';
import { registerReportPages } from '../web/api/nouns/reports/report-pages.ts';
import { registerVerify } from '../web/api/nouns/verify/verify-calls.ts';
import { openApi } from '../web/api/open-api.ts';
import type { Description } from '../web/api/openapi/register-openapi.ts';
import { registerPackages } from '../web/api/reference/register-packages.ts';
import { registerReference } from '../web/api/reference/register-reference.ts';
import { createRefuseKey } from '../web/api/refuse-key.ts';
import type { SessionDeps } from '../web/api/sessions.ts';
import { createSharedLimiter } from '../web/api/shared-limiter.ts';
import { registerDoors } from '../web/doors/doors.ts';
import { openPanel } from '../web/panel/open-panel.ts';
import { createPages, type Pages } from '../web/panel/panel-pages.ts';
import { type Demo, ensureDemo } from './demo-account.ts';
import { openAdministration } from './open-administration.ts';
import { type Base, publicUrlsOf } from './open-base.ts';

export interface Edge {
  /** The address at which the server listens; null for a worker. */
  url: string | null;
  demo: Demo | null;
  /** The link that opens the panel once, as the first operator; null after its use and for a worker. */
  panelLink: string | null;
  /** Makes `/readyz` answer 503. A later disposal waits for `forMs`, so that load balancers notice. */
  retire(forMs: number): void;
}

// How long requests that create jobs may still fetch inputs during a shutdown. Together with the time for running
// attempts, this is below the 30 s that supervisors allow.
const requestPatienceMs = 5_000;

// How many connections may wait to be accepted. A turn of the event loop accepts one. Linux allows no more by default.
const backlog = 4_096;

/** `mayRemove` tells whether the image store belongs to this installation. */
type EdgeBase = Base & { mayRemove(): Promise<boolean>; openMetrics(): Promise<Metrics> };

/** Listens only once everything else is ready. */
export async function openEdge(base: EdgeBase, stack: AsyncDisposableStack): Promise<Edge> {
  const { log, urls } = base;
  const publicUrl = () => urls.publicUrl;
  const pages = openPages(base);
  const server = createServer({
    ...{ log, meter: base.meter, publicUrl, sendPage: pages.send, tracedShare: base.tracing.share },
    ...{ trustedProxies: base.config.http.trustedProxies, maxConnections: base.config.maxConnections },
  });
  allowOrigins(server, base.config.http.corsOrigins);
  const requests = trackRequests(server, base);
  await pages.register(server);
  const intake = await openIntake(base, stack);
  const { rateLimit, limitDefaults, wrongKeyLimit } = base.config;
  const { maxConnections, currency, retention, sharing, streamKeepAliveMs } = base.config;
  const authenticator = createAuthenticator(base);
  const refuseKey = createRefuseKey(base.clock, wrongKeyLimit);
  const limiter = openLimiter(base, stack);
  const entrance = createEntrance({ authenticator, limiter, rateLimit, limitDefaults, refuseKey });
  const waits = openWaitEstimator({ ...base, limitDefaults });
  const bodies = createBodyBudget();
  const serving = { ...base, bodies, ...intake, entrance, waits, closing: requests.closing };
  const { oidc, secondFactor } = base.config;
  const auth = openAuth({ ...base, publicUrl, keys: deriveAuthKeys(base.secrets), oidc });
  const sessions = { ...base, ...auth, publicUrl, secondFactor };
  const description = await openApi(server, {
    ...serving,
    ...{ sessions, limitDefaults, openSealer: async () => base.sealer },
    ...{ maxConnections, currency, retention, sharing, streamKeepAliveMs },
  });
  await registerDoors(
    server,
    {
      ...serving,
      aliases: base.config.doorAliases,
      allowedOrigins: base.config.http.corsOrigins,
      streamKeepAliveMs,
      currency,
      publicUrl,
      unanswered: stack.use(openUnanswered(base)),
      grantSealer: createGrantSealer(base.secrets),
      taskSealer: createSealer(base.secrets, 'tasks of doors'),
    },
    base.config.doors,
  );
  registerUnversioned(server, { ...base, ...intake, ...sessions, requests, description, entrance, pages });
  await openAdministration(server, { ...base, bodies, sessions, refuseKey });
  const closing = new AbortController();
  await registerPanelCalls(server, {
    ...base,
    ...intake,
    ...auth,
    bodies,
    entrance,
    waits,
    closing: closing.signal,
  });

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

function openPages({ config, urls, brand }: Base): Pages {
  const imageOrigin = () => new URL(urls.cdnUrl).origin;
  return createPages({ imageOrigin, brand: brand.now, captcha: config.captcha?.kind });
}

/** All processes on one database share the buckets of rate limits. SQLite has only one process. */
function openLimiter({ database, clock }: EdgeBase, stack: AsyncDisposableStack): RateLimiter {
  if (database.kind === 'sqlite') return createRateLimiter(clock);
  return stack.use(createSharedLimiter({ database, clock })).take;
}

type Server = ReturnType<typeof createServer>;
type Intake = Pick<
  CreateDeps,
  'whyUnserved' | 'takeInputs' | 'admit' | 'underWay' | 'limitDefaults' | 'jobOfLink' | 'isOwnLink'
> &
  Pick<UrlChecks, 'checkInput'> &
  Pick<QuoteDeps, 'findOwnImage'> &
  Pick<JobCallDeps, 'expectedCost'> & { openOwn: OpenOwn; uploads: UploadDeps; previewInput: PreviewInput };

async function openIntake(base: Base, stack: AsyncDisposableStack): Promise<Intake> {
  const { config, log, database, images, signals, urls, links, guard, tempDir } = base;
  const minFree = config.minFreeDiskBytes;
  const room = {
    decoder: stack.use(createDecoder()),
    tempDir,
    slots: createSemaphore(downloadsInProcess, downloadsPerOwner),
    space: createSpace({ perOwner: bytesPerOwner, inProcess: bytesInProcess, minFree }),
  };
  const findImage = createFindImage(database);
  const findOwnImage = createFindOwnImage({ cdnUrl: () => urls.cdnUrl, links, findImage });
  const openOwn = createOpenOwnImage(findOwnImage, images);
  const fetching = { ...room, guard, limits: base.fetchLimits, openOwn };
  const takeInputs = createTakeInputs({ ...fetching, images, log });
  const previewInput = createPreviewInput(fetching);
  const { limitDefaults } = config;
  const costs = keepRouteCosts(base);
  const uploads = { ...base, ...room, limits: base.uploadLimits, limitDefaults };
  const admit = createAdmission(
    database,
    () => {
      signals.queued();
      database.notify('jobs');
    },
    limitDefaults,
    base.meter,
  );
  const checkInput = (url: string) => checkInputUrl(url, guard, urls.cdnUrl);
  const ofLink = (url: string) => jobOfLink(url, urls.cdnUrl);
  return {
    takeInputs,
    findOwnImage,
    openOwn,
    previewInput,
    uploads,
    admit,
    underWay: createUnderWay(),
    limitDefaults,
    checkInput,
    jobOfLink: ofLink,
    isOwnLink: (url) => isOwnLink(url, urls.cdnUrl),
    expectedCost: async (wanted) => expectedCost(base.routes, wanted, await costs.latest()),
    whyUnserved: (model, wanted) => whyUnserved(base.routes, base.catalogue.list(), model, wanted),
  };
}

type Serving = EdgeBase & Intake & { waits: WaitEstimator; closing: AbortSignal };

function registerUnversioned(
  server: Server,
  deps: EdgeBase &
    Intake &
    SessionDeps & {
      requests: Requests;
      pages: Pages;
      description: () => Promise<Description>;
      entrance: Entrance;
    },
): void {
  const { config, log, database, images, links, renditions, requests } = deps;
  registerReference(server, deps);
  registerDocs(server, { ...deps, sections: sectionsFor(config) });
  registerPackages(server, deps.packagesDir);
  registerLogo(server, deps);
  if (config.sharing) {
    registerSharePages(server, deps);
    registerReportPages(server, deps);
  }
  registerUnsubscribePages(server, { ...deps, links: createUnsubscribeLinks(deps.secrets) });
  if (config.statusPage) registerStatusPages(server, deps);
  if (config.landing) registerLandingPage(server, { ...deps, ...config.landing, sendPanel: deps.pages.send });
  registerPaymentMessages(server, deps);
  if (config.publicVerify) registerVerify(server, { ...deps, space: deps.uploads.space });
  registerHealth(server, {
    ...requests,
    askDatabase: () => readNow(database.read),
    isDiskFull: () => deps.disks.isFull(),
  });
  registerImageCalls(server, {
    images,
    links,
    renditions,
    findImage: createFindImage(database),
    onMissing: (image, key) =>
      log.error('image.missing', { key, ...(image.kind === 'job' && { job_id: image.jobId }) }),
  });
  registerMetrics(server, {
    openMetrics: deps.openMetrics,
    token: config.metricsToken,
    isBehindProxy: isBehindProxy(config.http),
  });
}

async function registerPanelCalls(
  server: Server,
  deps: Serving & OpenAuth & { entrance: Entrance; bodies: BodyBudget },
): Promise<void> {
  const { config, urls, readConnections, guard } = deps;
  const { currency, retention, settings, secondFactor, oidc, signUp, captcha } = config;
  const mailsLinks = config.mail !== null && config.http.publicUrl !== null;
  const environment = config.routeEnvironment;
  const publicUrl = () => urls.publicUrl;
  await openPanel(server, {
    ...deps,
    currency,
    retention,
    ofFile: config.connections,
    fileModels: config.models,
    implied: environment.implied,
    followChanges: () => deps.changes.refresh(),
    openRouteCheck: () => openRouteCheck({ environment, keys: config.providerKeys, readConnections, guard }),
    publicUrl,
    installation: { currency, settings, secondFactor, oidc, mailsLinks },
    signUp,
    captcha: captcha && createCaptcha(captcha, { ...deps, publicUrl }),
  });
}

async function listen(
  server: Server,
  { config, database, clock, log, urls }: Base,
): Promise<Omit<Edge, 'retire'>> {
  const { host, port } = config.http;
  await server.listen({ host, port, backlog });
  const addresses = server.addresses().filter((address) => typeof address !== 'string'); // a string would be a pipe
  const { publicUrl: url } = Object.assign(urls, publicUrlsOf(config.http, addresses));
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
