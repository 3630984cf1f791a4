import type { SigningSettings } from './certificates/read-certificate.ts';
import { openSigningThread, type SigningThread } from './open-signing-thread.ts';

/** A PNG of one grey pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNoAAAAggCBd81ytgAAAABJRU5ErkJggg==',
  'base64',
);

/** Signs a test image, with a time stamp if set. Returns why the signature is invalid; undefined if it is valid. */
export async function checkSigner(settings: SigningSettings): Promise<string | undefined> {
  await using thread = openSigningThread(settings);
  try {
    await proveThread(thread);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Has the thread sign an image, and reads it as others would. @throws Error if the signature is invalid */
export async function proveThread(thread: SigningThread): Promise<void> {
  const claim = { kind: 'made', sourceType: 'algorithmicMedia', model: 'sketch', atMs: Date.now() } as const;
  const answer = await thread.ask({ sign: pixel, claim, parent: null });
  const signed = 'signed' in answer ? answer.signed : null;
  const read = signed && (await thread.ask({ read: signed }));
  if (!read || !('state' in read) || read.state !== 'ours') throw new Error(doesNotHold);
}

const doesNotHold =
  'its signature is not valid: C2PA requires digitalSignature and an extended key usage of the certificates of signer and time stamps, and that they are not authorities';
