import type { Database } from '../../../base/db/database.ts';
import type { Guard } from '../../../base/guard/guard.ts';
import type { Sealer } from '../../../base/std/sealer.ts';
import { readBucketKey } from '../buckets/bucket-key.ts';
import { putObject } from '../buckets/put-object.ts';
import type { AttemptResult } from '../delivery.ts';
import { listSecrets, signingSecrets } from '../secrets/secret-store.ts';
import { secretUnreadable } from '../secrets/secret-unreadable.ts';
import type { CheckTarget } from '../webhook-target.ts';
import type { Endpoint } from './endpoint-store.ts';

/** The test object is not removed, because the key need only have the right to put objects. */
const test = {
  name: 'darkroom-test.txt',
  mediaType: 'text/plain; charset=utf-8',
  body: Buffer.from('Darkroom copies results to this place.\n'),
};

/** @throws AppError `webhook_secret_unreadable` */
export async function testBucket(
  {
    database,
    sealer,
    guard,
    checkTarget,
  }: {
    database: Database;
    sealer: Sealer;
    guard: Pick<Guard, 'agent'>;
    checkTarget: CheckTarget;
  },
  { id, url }: Endpoint,
): Promise<AttemptResult> {
  const key = readBucketKey(signingSecrets(await listSecrets(database.read, sealer, [id])));
  if (!key) throw secretUnreadable();
  const agent = await guard.agent();
  try {
    const { signal } = new AbortController();
    return await putObject({ url, key }, test, { agent, checkTarget, signal });
  } finally {
    await agent.destroy();
  }
}
