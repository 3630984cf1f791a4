import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { algorithmOf } from '../cose-sign1.ts';

export interface SigningSettings {
  /** The signing certificate, followed by its issuers, as PEM. */
  certificates: string;
  /** PEM: PKCS #8. */
  key: string;
  /** The URL of an RFC 3161 authority. */
  timeStampUrl: string | null;
  /** The file with the key if every user of the machine can read it. */
  openKeyFile?: string;
}

export interface ReadCertificate {
  subject: string;
  issuer: string;
  isSelfSigned: boolean;
  startsMs: number;
  endsMs: number;
}

/** @throws Error for anything but a certificate */
export function readCertificate({ certificates }: Pick<SigningSettings, 'certificates'>): ReadCertificate {
  const { subject, issuer, validFromDate, validToDate } = new X509Certificate(certificates);
  return {
    subject: nameIn(subject),
    issuer: nameIn(issuer),
    isSelfSigned: subject === issuer,
    startsMs: validFromDate.getTime(),
    endsMs: validToDate.getTime(),
  };
}

export function chainOf({ certificates }: Pick<SigningSettings, 'certificates'>): Buffer[] {
  const blocks = certificates.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block).raw);
}

/** Describes a mistake in the files, without revealing any part of the key. */
export function checkSigning(
  settings: SigningSettings,
): { file: 'certificateFile' | 'keyFile'; why: string } | undefined {
  let certificate: X509Certificate;
  let key: KeyObject;
  try {
    certificate = new X509Certificate(settings.certificates);
  } catch {
    return { file: 'certificateFile', why: 'it is not a certificate in PEM' };
  }
  try {
    key = createPrivateKey(settings.key);
  } catch {
    return { file: 'keyFile', why: 'it is not a private key in PEM, or is protected by a password' };
  }
  if (algorithmOf(key) === undefined) return { file: 'keyFile', why: 'C2PA does not allow such a key' };
  if (!certificate.checkPrivateKey(key))
    return { file: 'keyFile', why: 'it is not the key of the certificate' };
  return undefined;
}

function nameIn(name: string): string {
  return /^CN=(.*)$/m.exec(name)?.[1] ?? name.replaceAll('\n', ', ');
}
