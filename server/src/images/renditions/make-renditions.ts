import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../base/db/database.ts';
import { type ImageStore, StoreUnavailable } from '../image-store.ts';
import { askChild } from '../inputs/ask-child.ts';
import type { ChildPool } from '../inputs/child-pool.ts';
import { type DiskTroubleCode, isDiskTrouble } from '../inputs/disk-trouble.ts';
import { makeTempFolder } from '../inputs/temp-folder.ts';
import {
  type RenditionSet,
  renditionKey,
  renditionSets,
  renditionType,
  renditionWidths,
} from '../renditions.ts';
import type { Signer } from '../signing/open-signer.ts';
import { type Look, parseRenditionReply, type RenditionRequest } from './rendition-messages.ts';
import { noteLookIfKept } from './rendition-store.ts';
import { saveStored } from './save-stored.ts';

export interface MakeDeps {
  database: Database;
  images: ImageStore;
  tempDir: string;
  /** Null: nothing is signed. */
  signer: Pick<Signer, 'signCopy'> | null;
}

/** The result of a job, by its key in the image store. */
export interface Picture {
  jobId: string;
  key: string;
}

/** As large as the largest result; decoded row by row, it needs a fraction of that in memory. */
export const childLimits = { pixels: 50_000_000, childBytes: 600_000_000 };
/** Every set is made from this width, so that a result looks the same to whatever made it first. */
const widest = Math.max(...renditionWidths);
/** 16 megapixels take half a second of processor time, and much longer when everything else goes first. */
export const childLimitMs = 60_000;

/**
 * Makes a set of renditions of a picture and stores them beside it. False when the job no longer has the picture; nothing of
 * it stays behind then.
 *
 * @throws StoreError, and Error when the picture cannot be decoded
 */
export async function makeRenditions(
  deps: MakeDeps,
  children: ChildPool,
  picture: Picture & { set: RenditionSet },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    return await makeSet(deps, children, picture, signal);
  } catch (error) {
    throw isDiskTrouble(error) ? diskTrouble(error.code, error) : error;
  }
}

async function makeSet(
  { database, images, tempDir, signer }: MakeDeps,
  children: ChildPool,
  picture: Picture & { set: RenditionSet },
  signal: AbortSignal,
): Promise<boolean> {
  await using folder = await makeTempFolder(tempDir);
  const source = join(folder.path, 'picture');
  const stored = await images.get(picture.key);
  if (!stored) return false;
  await saveStored(picture.key, stored.body, source, signal);
  const targets = renditionSets[picture.set].map((width) => ({
    width,
    path: join(folder.path, String(width)),
  }));
  const look = await ask(children, { source, targets, widest, ...childLimits }, signal);
  for (const { width, path } of targets) {
    const made = await readFile(path);
    const bytes = signer ? await signer.signCopy(made, await readFile(source)) : made;
    const info = { mediaType: renditionType, bytes: bytes.byteLength };
    await images.put(renditionKey(picture.key, width), bytes, info);
  }
  // The picture may have been removed meanwhile, and what was just stored is part of it.
  const isKept = await database.transaction((tx) => noteLookIfKept(tx, picture, look));
  if (!isKept) for (const { width } of targets) await images.remove(renditionKey(picture.key, width));
  return isKept;
}

async function ask(children: ChildPool, request: RenditionRequest, signal: AbortSignal): Promise<Look> {
  const parse = parseRenditionReply;
  const reply = await askChild(children, { request, limitMs: childLimitMs, parse, signal });
  if (reply?.kind === 'made') return reply;
  if (reply?.kind === 'disk_trouble') throw diskTrouble(reply.code);
  throw new Error('the renditions could not be made: it cannot be decoded');
}

/** It passes, as that of a store does. */
export function diskTrouble(code: DiskTroubleCode, cause?: Error): StoreUnavailable {
  const told = `the renditions could not be made: the disk for temporary files fails (${code})`;
  return new StoreUnavailable(told, { cause });
}
