import type { BodyBudget } from '../../base/http/bodies/body-budget.ts';
import type { Log } from '../../base/std/log.ts';
import type { Sealer } from '../../base/std/sealer.ts';
import type { LinkSigner } from '../../images/image-links.ts';
import type { ImageStore } from '../../images/image-store.ts';
import type { UploadDeps } from '../../images/uploads/take-upload.ts';
import type { CreateDeps } from '../../jobs/admission/create-job.ts';
import type { UrlChecks } from '../../jobs/admission/judge-urls.ts';
import type { UnansweredRequests } from '../../jobs/admission/unanswered/open-unanswered.ts';
import type { CancelledDeps } from '../../jobs/cancel/end-cancelled.ts';
import type { DeleteImagesDeps } from '../../jobs/delete-images.ts';
import type { ReadJob } from '../../jobs/get-job.ts';
import type { JobSignals } from '../../jobs/signals.ts';
import type { Catalogue } from '../../upstream/catalog/catalogue.ts';
import type { Entrance } from '../api/entrance.ts';

export interface DoorDeps extends CreateDeps, CancelledDeps, DeleteImagesDeps, UrlChecks {
  entrance: Entrance;
  catalogue: Catalogue;
  /** Requests without an Idempotency-Key that have not been answered. */
  unanswered: UnansweredRequests;
  readJob: ReadJob;
  signals: JobSignals;
  images: ImageStore;
  links: LinkSigner;
  log: Log;
  /** Seals programs' own descriptions, and the codes that programs exchange for keys. */
  grantSealer: Sealer;
  /** Seals ids that contain the data for a later answer. */
  taskSealer: Sealer;
  currency: string;
  /** The server's public address, without a trailing slash. */
  publicUrl(): string;
  /** Aborts when the server is about to stop, so that waiting requests are answered immediately. */
  closing: AbortSignal;
  /** The operator's names for models, which take precedence over the vendor's. */
  aliases: ReadonlyMap<string, string>;
  bodies: BodyBudget;
  uploads: UploadDeps;
  streamKeepAliveMs: number;
  allowedOrigins: readonly string[];
}
