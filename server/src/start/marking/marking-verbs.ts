import { createPrivateKey, createPublicKey, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { toIso } from '../../base/std/iso-time.ts';
import { replaceFile } from '../../base/std/replace-file.ts';
import { writeIfAbsent } from '../../base/std/write-if-absent.ts';
import { dataDirOf, type Environment, readConfig } from '../../config/config.ts';
import { SettingError } from '../../errors.ts';
import {
  keyPem,
  makeKey,
  makeRequest,
  makeSelfSigned,
} from '../../images/signing/certificates/own-certificate.ts';
import { readCertificate } from '../../images/signing/certificates/read-certificate.ts';
import { checkSigner } from '../../images/signing/check-signer.ts';

/** The validity of a self-signed certificate. Bought certificates are usually valid for as long. */
const selfSignedDays = 365;
/** Certificates and requests are not secret. */
const publicMode = 0o644;

export interface MarkingFiles {
  key_file: string;
  key_kept: boolean;
  /** The request to a certificate authority; null for a self-signed certificate. */
  request_file: string | null;
  /** The place of the certificate, which may not exist yet. */
  certificate_file: string;
}

/**
 * Creates a key if there is none, and a certificate or a request for one. With an existing key, this renews the
 * certificate.
 * @throws SettingError instead of replacing a certificate that an authority issued
 */
export async function initMarking(
  env: Environment,
  { name, selfSigned }: { name: string; selfSigned: boolean },
): Promise<MarkingFiles> {
  const folder = join(dataDirOf(env), 'signing');
  const files = { key: join(folder, 'key.pem'), certificate: join(folder, 'certificate.pem') };
  if (selfSigned) await refuseIssued(files.certificate);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const known = await readIfThere(files.key);
  const key = known === undefined ? makeKey() : readKey(known, files.key);
  if (known === undefined && !(await writeIfAbsent(files.key, keyPem(key))))
    throw new SettingError(`${files.key} was made by another command meanwhile. Run this one again.`);
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const answer = { key_file: files.key, key_kept: known !== undefined, certificate_file: files.certificate };
  if (selfSigned) {
    const pem = makeSelfSigned(key, spki, { name, nowMs: Date.now(), days: selfSignedDays });
    await replaceFile(files.certificate, pem, publicMode);
    return { ...answer, request_file: null };
  }
  const request = join(folder, 'request.pem');
  await replaceFile(request, makeRequest(key, spki, name), publicMode);
  return { ...answer, request_file: request };
}

export type MarkingStatus = Awaited<ReturnType<typeof readMarking>>;

/** @throws SettingError */
export async function readMarking(env: Environment) {
  const { marking, publicVerify, signing } = readConfig(env);
  return {
    xmp: true as const,
    keep_signed: marking.keepSigned,
    aigc_producer: marking.aigcProducer,
    public_verify: publicVerify,
    signing: signing && {
      ...describe(readCertificate(signing)),
      time_stamps: signing.timeStampUrl,
      open_key_file: signing.openKeyFile ?? null,
      wrong: (await checkSigner(signing)) ?? null,
    },
  };
}

function describe({ subject, issuer, isSelfSigned, startsMs, endsMs }: ReturnType<typeof readCertificate>) {
  const period = { starts_at: toIso(startsMs), ends_at: toIso(endsMs) };
  return { certificate: subject, issuer, self_signed: isSelfSigned, ...period };
}

async function refuseIssued(file: string): Promise<void> {
  const pem = await readIfThere(file);
  if (pem === undefined) return;
  const { subject, issuer } = new X509Certificate(pem);
  if (subject !== issuer)
    throw new SettingError(
      `${file} was issued by ${readCertificate({ certificates: pem }).issuer}. Move it away first.`,
    );
}

function readKey(pem: string, file: string): KeyObject {
  try {
    const key = createPrivateKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve === 'prime256v1') return key;
  } catch {
    // The library's message could show a part of the key.
  }
  throw new SettingError(`${file} is not a key that this command made. Move it away first.`);
}

async function readIfThere(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}
