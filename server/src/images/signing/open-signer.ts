import type { Meter } from '../../base/metrics/meter.ts';
import type { Clock } from '../../base/std/clock.ts';
import type { Log } from '../../base/std/log.ts';
import { readCertificate, type SigningSettings } from './certificates/read-certificate.ts';
import { proveThread } from './check-signer.ts';
import { openSigningThread } from './open-signing-thread.ts';
import type { Claim, SignatureState, SignQuestion } from './signing-messages.ts';

/** Signs images. An image that cannot be signed is sent without a manifest. */
export interface Signer extends AsyncDisposable {
  /** Signs a result; null if that fails. `upstream` is the file as received, if it has a manifest. */
  signResult(result: Uint8Array, claim: MadeClaim, upstream: Uint8Array | null): Promise<SignedResult | null>;
  /** Returns the copy unchanged if the result has no valid manifest. */
  signCopy(copy: Uint8Array, result: Uint8Array): Promise<Uint8Array>;
  /** `unchecked` if the state cannot be determined. */
  read(file: Uint8Array): Promise<SignatureState | 'unchecked'>;
}

export type MadeClaim = Omit<Extract<Claim, { kind: 'made' }>, 'kind'>;

export interface SignedResult {
  bytes: Uint8Array;
  hasIngredient: boolean;
}

/** The library is loaded when the first file arrives. */
export function openSigner(
  settings: SigningSettings,
  { clock, log, meter }: { clock: Clock; log: Log; meter: Meter },
): Signer {
  const { startsMs, endsMs } = readCertificate(settings);
  meter.reading(
    'darkroom_signing_certificate_ends_seconds',
    'Time until the signing certificate expires.',
    [],
    () => [[(endsMs - clock.nowMs()) / 1000, []]],
  );
  const signing = openSigningThread(settings);
  /** A second thread reads strangers' files, which must not delay signing. */
  const reading = openSigningThread(settings);

  const failures = meter.counter(
    'darkroom_images_not_signed_total',
    'Images that were sent without a manifest.',
  );

  /** True once a reader has accepted a test signature. Nothing is signed before. */
  let isProven = false;

  async function sign(question: SignQuestion) {
    const nowMs = clock.nowMs();
    try {
      if (nowMs < startsMs || nowMs > endsMs) throw new Error('the certificate is not in force');
      if (!isProven) await proveThread(signing);
      isProven = true;
      const answer = await signing.ask(question);
      return 'signed' in answer && answer.signed ? answer : null;
    } catch (error) {
      failures.add();
      log.error('image.not_signed', { reason: String(error) });
      return null;
    }
  }

  return {
    async signResult(result, claim, upstream) {
      const answer = await sign({ sign: result, claim: { kind: 'made', ...claim }, parent: upstream });
      return answer && { bytes: answer.signed, hasIngredient: answer.hasParent };
    },
    async signCopy(copy, result) {
      const claim: Claim = { kind: 'copy', atMs: clock.nowMs() };
      const answer = await sign({ sign: copy, claim, parent: result });
      return answer?.signed ?? copy;
    },
    async read(file) {
      try {
        const answer = await reading.ask({ read: file });
        return 'state' in answer ? answer.state : 'unchecked';
      } catch (error) {
        log.warn('image.signature_not_read', { reason: String(error) });
        return 'unchecked';
      }
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([signing, reading].map((thread) => thread[Symbol.asyncDispose]()));
    },
  };
}
