import { readCertificate, type SigningSettings } from '../../images/signing/certificates/read-certificate.ts';
import { checkSigner } from '../../images/signing/check-signer.ts';
import type { Finding } from './finding.ts';

/** Warns this early, because an authority may need two weeks to issue another certificate. */
const noticeMs = 30 * 24 * 60 * 60 * 1000;
const renew = 'renew it: darkroom marking init (docs/guides/origin.md#signatures)';

export async function checkCertificate(signing: SigningSettings, nowMs: number): Promise<Finding> {
  const name = 'signing';
  const { subject, startsMs, endsMs } = readCertificate(signing);
  const day = new Date(endsMs).toISOString().slice(0, 10);
  if (nowMs < startsMs || nowMs > endsMs)
    return {
      name,
      status: 'fail',
      found: `results are not signed: the certificate of ${subject} is not valid now (it ends on ${day})`,
      next: renew,
    };
  const wrong = await checkSigner(signing);
  if (wrong)
    return {
      name,
      status: 'fail',
      found: `results are not signed: ${wrong}`,
      next: 'look at marking.signing',
    };
  if (signing.openKeyFile !== undefined)
    return {
      name,
      status: 'warn',
      found: `every user of this machine may read the key, and sign as ${subject}`,
      next: `chmod 600 ${signing.openKeyFile}`,
    };
  if (endsMs - nowMs < noticeMs)
    return { name, status: 'warn', found: `the certificate of ${subject} ends on ${day}`, next: renew };
  if (signing.timeStampUrl === null)
    return {
      name,
      status: 'warn',
      found: `by ${subject} until ${day}, when all that it has signed becomes invalid: there are no time stamps`,
      next: 'name an authority in marking.signing.timeStampUrl',
    };
  return { name, status: 'ok', found: `by ${subject} until ${day}, with time stamps` };
}
