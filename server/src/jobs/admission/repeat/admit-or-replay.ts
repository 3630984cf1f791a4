import type { Database } from '../../../base/db/database.ts';
import type { Catalogue } from '../../../upstream/catalog/catalogue.ts';
import type { Model } from '../../../upstream/catalog/models.ts';
import type { AskedKey } from '../create-request.ts';
import type { Admission } from '../decide-admissions.ts';
import { findKeyRecords, listAcceptedVersions } from '../idempotency-store.ts';

export interface ReplayDeps {
  database: Database;
  catalogue: Pick<Catalogue, 'at'>;
}

interface Keyed {
  accountId: string;
  idempotency: AskedKey | null;
}

/**
 * Admits a request. If its key was used, compares it with the first request under the versions of the models that the
 * first request had, because a fingerprint omits values that are defaults, which operators may have changed since.
 */
export async function admitOrReplay<Asked extends Keyed>(
  deps: ReplayDeps,
  request: Asked,
  admit: (request: Asked) => Promise<Admission>,
): Promise<Admission> {
  const admission = await admit(request);
  const { accountId, idempotency } = request;
  if (admission.kind !== 'key_reused' || !idempotency?.fingerprintUnder) return admission;
  const [record] = await findKeyRecords(deps.database.read, [{ accountId, key: idempotency.key }]);
  if (!record?.jobId) return admission;
  const accepted = await acceptedModels(deps, record.jobId);
  const fingerprint = await idempotency.fingerprintUnder((model) => accepted.get(model.id) ?? model);
  if (fingerprint !== record.fingerprint) return admission;
  return admit({ ...request, idempotency: { ...idempotency, fingerprint } });
}

/** The models of a job and of the other jobs of its batch, as they were when the jobs were accepted. */
async function acceptedModels(
  { database, catalogue }: ReplayDeps,
  jobId: string,
): Promise<ReadonlyMap<string, Model>> {
  const accepted = new Map<string, Model>();
  for (const { model, version } of await listAcceptedVersions(database.read, jobId))
    accepted.set(model, await catalogue.at(database.read, model, version));
  return accepted;
}
