import { createPrivateKey } from 'node:crypto';
import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbage } from '../../base/std/memory/collect-garbage.ts';
import { type SourceMediaType, sniffBytes, sniffImage } from '../../base/std/sniff-image.ts';
import { HeldFile, libraryRules, openLibrary } from './c2pa-library.ts';
import { chainOf, type SigningSettings } from './certificates/read-certificate.ts';
import { algorithmOf, isSignedBy, reservedBytes, signCose } from './cose-sign1.ts';
import { describeManifest, parentId } from './describe-manifest.ts';
import { findBox } from './find-box.ts';
import { requestStamp } from './request-stamp.ts';
import type {
  Claim,
  SignatureState,
  SigningAnswer,
  SigningOrder,
  SigningQuestion,
  SigningReply,
} from './signing-messages.ts';

/** Signs and reads manifests in a thread of its own, because hashing a file would block the server for milliseconds. */
const settings = workerData as SigningSettings; // the parent passes them
const library = openLibrary();
const key = createPrivateKey(settings.key);
const algorithm = algorithmOf(key);
if (!algorithm) throw new Error('the key is of a kind that C2PA does not allow');
const signing = { algorithm, chain: chainOf(settings) };
const { timeStampUrl } = settings;
const size = reservedBytes(signing, timeStampUrl !== null);
const stamp = timeStampUrl === null ? null : (bytes: Uint8Array) => requestStamp(timeStampUrl, bytes);
const signer = {
  alg: algorithm,
  reserveSize: size,
  sign: async (claim: Uint8Array) => new Uint8Array(await signCose(claim, { ...signing, key, size, stamp })),
};
const rules = JSON.stringify(libraryRules);
const collectAfterBytes = 32_000_000;
let bytesSinceCollection = 0;

parentPort?.on('message', (order: SigningOrder) => {
  const bytes = bytesOf(order.question);
  void handle(order).finally(() => setImmediate(collectAfter, bytes));
});

async function handle({ id, question }: SigningOrder): Promise<void> {
  try {
    const answered = await answer(question);
    reply({ id, answer: answered }, 'signed' in answered ? answered.signed : null);
  } catch (error) {
    reply({ id, error: error instanceof Error ? error.message : String(error) });
  }
}

function bytesOf(question: SigningQuestion): number {
  if ('read' in question) return question.read.byteLength;
  return question.sign.byteLength + (question.parent?.byteLength ?? 0);
}

/** Collects garbage. V8 would keep many files' copies, because this thread has hardly any other objects to collect. */
function collectAfter(bytes: number): void {
  bytesSinceCollection += bytes;
  if (bytesSinceCollection < collectAfterBytes) return;
  collectGarbage('regular');
  bytesSinceCollection = 0;
}

function reply(message: SigningReply, signed: Uint8Array | null = null): void {
  parentPort?.postMessage(message, signed?.buffer instanceof ArrayBuffer ? [signed.buffer] : []);
}

async function answer(question: SigningQuestion): Promise<SigningAnswer> {
  if ('read' in question) return { state: await readState(question.read) };
  const { sign, claim, parent } = question;
  const holds = parent !== null && ['valid', 'ours'].includes(await readState(parent));
  if (claim.kind === 'copy' && !holds) return { signed: null };
  return { signed: await signFile(sign, claim, holds ? parent : null), hasParent: holds };
}

async function signFile(bytes: Uint8Array, claim: Claim, parent: Uint8Array | null): Promise<Uint8Array> {
  const { WasmBuilder } = await library;
  const type = typeOf(bytes);
  using builder = WasmBuilder.fromJson(describeManifest(claim, type, parent !== null), rules);
  if (parent) {
    const ingredient = JSON.stringify({ relationship: 'parentOf', label: parentId });
    await builder.addIngredientFromBlob(ingredient, typeOf(parent), new HeldFile(parent));
  }
  return await builder.sign(signer, [], type, new HeldFile(bytes));
}

async function readState(bytes: Uint8Array): Promise<SignatureState> {
  if (!Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).includes('jumdc2pa')) return 'none';
  const { WasmReader } = await library;
  try {
    using reader = await WasmReader.fromBytes(typeOf(bytes), bytes, rules);
    const { validation_state: state } = JSON.parse(reader.json()) as { validation_state?: string };
    if (state !== 'Valid' && state !== 'Trusted') return 'invalid';
    const label = reader.activeLabel() ?? '';
    const store = Buffer.from(reader.resourceToBytes(`self#jumbf=/c2pa/${label}/c2pa.signature`));
    const cose = findBox(store, ['c2pa', label, 'c2pa.signature']);
    return cose && isSignedBy(cose, signing) ? 'ours' : 'valid';
  } catch {
    return 'invalid'; // the box is not a manifest
  }
}

function typeOf(bytes: Uint8Array): SourceMediaType {
  const type = sniffImage(bytes.subarray(0, sniffBytes));
  if (!type) throw new Error('the file is not an image');
  return type;
}
