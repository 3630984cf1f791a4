import { readFileSync, statSync } from 'node:fs';
import { SettingError } from '../errors.ts';
import { checkSigning, type SigningSettings } from '../images/signing/certificates/read-certificate.ts';
import type { ConfigFile } from './config-file.ts';

const readableByAll = 0o004;

type Given = NonNullable<ConfigFile['marking']>['signing'];

/** @throws SettingError */
export function readSigning(given: Given): SigningSettings | null {
  if (!given) return null;
  const { certificateFile, keyFile, timeStampUrl = null } = given;
  const certificates = read('certificateFile', certificateFile);
  const key = read('keyFile', keyFile);
  const settings = { certificates, key, timeStampUrl };
  const wrong = checkSigning(settings);
  if (wrong) throw new SettingError(`DARKROOM_CONFIG: marking.signing.${wrong.file}: ${wrong.why}.`);
  return (statSync(keyFile).mode & readableByAll) === 0 ? settings : { ...settings, openKeyFile: keyFile };
}

function read(name: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new SettingError(`DARKROOM_CONFIG: marking.signing.${name} cannot be read: ${why}.`);
  }
}
