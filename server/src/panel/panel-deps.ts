import type { Auth } from '../accounts/sign-in/auth.ts';
import type { AuthenticatorSeals } from '../accounts/sign-in/authenticator-seals.ts';
import type { Seals } from '../accounts/sign-in/seals.ts';
import type { SecondFactorPolicy } from '../accounts/sign-in/second-factor.ts';
import type { CreateDeps } from '../admission/create-job.ts';
import type { PreviewInput } from '../admission/preview-input.ts';
import type { LiveCatalogue } from '../catalog/catalogue.ts';
import type { Config } from '../config/config.ts';
import type { Connection } from '../connections/connection.ts';
import type { Guard } from '../guard/guard.ts';
import type { KeptAnswers } from '../http/kept-answers/keep-answers.ts';
import type { ListCursors } from '../http/list-cursors.ts';
import type { LinkSigner } from '../images/image-links.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { ReadJob } from '../jobs/get-job.ts';
import type { Outlook } from '../jobs/queue-view.ts';
import type { RetentionDays } from '../retention/retention.ts';
import type { LiveRoutes } from '../routes/live-routes.ts';
import type { RouteCheck } from '../routes/open-route-check.ts';
import type { Log } from '../std/log.ts';
import type { Sealer } from '../std/sealer.ts';
import type { OpaqueIds } from '../std/sealing/opaque-ids.ts';
import type { UploadDeps } from '../uploads/take-upload.ts';
import type { DescribeJobs } from '../webhooks/webhook-body.ts';
import type { CheckTarget } from '../webhooks/webhook-target.ts';
import type { System } from './contract.ts';

/** What the panel's calls share. */
export interface PanelDeps extends CreateDeps {
  readJob: ReadJob;
  /** How the installation is configured, as far as the panel shows it. */
  installation: Installation;
  log: Log;
  images: ImageStore;
  uploads: UploadDeps;
  previewInput: PreviewInput;
  links: LinkSigner;
  sealer: Sealer;
  ids: OpaqueIds;
  cursors: ListCursors;
  answers: KeptAnswers;
  /** Seals programs' descriptions of themselves, and codes for their keys. */
  grantSealer: Sealer;
  guard: Guard;
  checkTarget: CheckTarget;
  describeJobs: DescribeJobs;
  outlook: Outlook;
  /** Whether the images in the store are this installation's. */
  mayRemove(): Promise<boolean>;
  onSettled(jobIds: string[]): void;
  onTakenAway(): void;
  catalogue: LiveCatalogue;
  /** What the file and the environment set, which the panel shows and does not change. */
  ofFile: Config['connections'];
  fileModels: Config['models'];
  implied: Config['routeEnvironment']['implied'];
  readConnections(): Promise<ReadonlyMap<string, Connection>>;
  /** The check that `changeModels` takes. */
  openRouteCheck(): Promise<RouteCheck>;
  routes: LiveRoutes;
  /** Until this process has the newest models and connections, and their routes. */
  followChanges(): Promise<void>;
  auth(): Promise<Auth>;
  /** With the configured identity provider. */
  oidcAuth(): Promise<Auth>;
  /** Makes the next `oidcAuth` load it anew. */
  forgetOidcAuth(): void;
  seals: Seals;
  authenticators: AuthenticatorSeals;
  publicUrl(): string;
  place: { publicUrl: string };
  /** Aborts when the server is about to stop, so that long polls are answered at once. */
  closing: AbortSignal;
}

export interface Installation {
  role: System['role'];
  currency: string;
  /** Public links to pictures may be made. */
  sharing: boolean;
  retention: RetentionDays;
  /** The data folder. */
  dataDir: string;
  /** Every setting with its source, without secrets. */
  settings: System['configuration'];
  secondFactor: SecondFactorPolicy;
  /** The identity provider; null without one. */
  oidc: { name: string } | null;
  /** When the process started to serve, in milliseconds. */
  startedAt: number;
}
