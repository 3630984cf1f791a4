import { createPublicKey } from 'node:crypto';
import { createMeter } from '../../../src/base/metrics/meter.ts';
import { systemClock } from '../../../src/base/std/clock.ts';
import { sniffImage } from '../../../src/base/std/sniff-image.ts';
import { openLibrary } from '../../../src/images/signing/c2pa-library.ts';
import { keyPem, makeKey, makeSelfSigned } from '../../../src/images/signing/certificates/own-certificate.ts';
import type { SigningSettings } from '../../../src/images/signing/certificates/read-certificate.ts';
import { openSigner } from '../../../src/images/signing/open-signer.ts';
import { silentLog } from '../../world/silent-log.ts';

export function selfSigned(name = 'A studio', days = 365): SigningSettings {
  const key = makeKey();
  const spki = createPublicKey(key).export({ type: 'spki', format: 'der' });
  const certificates = makeSelfSigned(key, spki, { name, nowMs: Date.now(), days });
  return { certificates, key: keyPem(key), timeStampUrl: null };
}

export async function signedElsewhere(png: Uint8Array): Promise<Buffer> {
  await using signer = openSigner(selfSigned('An upstream'), {
    clock: systemClock,
    log: silentLog,
    meter: createMeter(),
  });
  const claim = { sourceType: 'trainedAlgorithmicMedia', model: 'theirs-1', atMs: Date.now() } as const;
  const signed = await signer.signResult(png, claim, null);
  if (!signed) throw new Error('it was not signed');
  return Buffer.from(signed.bytes);
}

export interface FoundManifest {
  state: 'Invalid' | 'Valid' | 'Trusted';
  by: string;
  stampedAt: string | undefined;
  actions: { action: string; digitalSourceType?: string; softwareAgent?: { name: string }; when?: string }[];
  /** Whether each ingredient is valid, and who signed it. */
  ingredients: { relationship: string; by: string | undefined }[];
}

interface Store {
  active_manifest: string;
  validation_state: FoundManifest['state'];
  manifests: Record<
    string,
    {
      signature_info: { common_name: string; time?: string };
      assertions: { label: string; data: { actions: FoundManifest['actions'] } }[];
      ingredients?: { relationship: string; active_manifest?: string }[];
    }
  >;
}

export async function manifestOf(bytes: Uint8Array): Promise<FoundManifest | undefined> {
  if (!Buffer.from(bytes).includes('jumdc2pa')) return undefined;
  const { WasmReader } = await openLibrary();
  using reader = await WasmReader.fromBytes(sniffImage(bytes) ?? '', new Uint8Array(bytes));
  const { validation_state: state, active_manifest, manifests } = JSON.parse(reader.json()) as Store;
  const active = manifests[active_manifest];
  const actions =
    active?.assertions.find(({ label }) => label.startsWith('c2pa.actions'))?.data.actions ?? [];
  const signerOf = (label = '') => manifests[label]?.signature_info.common_name;
  return {
    state,
    by: signerOf(active_manifest) ?? '',
    stampedAt: active?.signature_info.time,
    actions,
    ingredients: (active?.ingredients ?? []).map(({ relationship, active_manifest: label }) => ({
      relationship,
      by: signerOf(label),
    })),
  };
}
