import { createHash, randomBytes } from 'node:crypto';
import { boolean, integer, octets, oid, partsOf, sequence } from './certificates/der.ts';

/** The time limit for a time stamp, for which an attempt waits. Authorities answer within a second. */
const patienceMs = 5_000;
const mostBytes = 65_536;
const sha256 = '2.16.840.1.101.3.4.2.1';

/** Requests a time stamp for `bytes` (RFC 3161). @throws Error if the authority gives no time stamp */
export async function requestStamp(url: string, bytes: Uint8Array): Promise<Buffer> {
  const imprint = sequence(sequence(oid(sha256)), octets(createHash('sha256').update(bytes).digest()));
  const body = sequence(integer(1), imprint, integer(randomBytes(8)), boolean(true));
  const answer = await fetch(url, {
    method: 'POST',
    body: new Uint8Array(body),
    headers: { 'content-type': 'application/timestamp-query' },
    signal: AbortSignal.timeout(patienceMs),
    redirect: 'error',
  });
  const reply = new Uint8Array(await answer.arrayBuffer());
  if (!answer.ok || reply.byteLength > mostBytes)
    throw new Error(`the time stamp authority answers ${answer.status} with ${reply.byteLength} bytes`);
  const [status, token] = partsOf(reply);
  const [granted] = status ? partsOf(status) : [];
  // 0 means granted, 1 granted with changes.
  if (!token || (granted?.at(-1) ?? 2) > 1) throw new Error('the time stamp authority refuses');
  return token;
}
