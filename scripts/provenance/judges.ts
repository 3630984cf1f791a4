import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { sniffImage } from '../../server/src/base/std/sniff-image.ts';
import { preparePython } from '../python.ts';

export interface Verdict {
  /** The field `DigitalSourceType` in XMP, as exiftool reads it. */
  sourceType: string | null;
  /** The manifest as c2pa-python reads it, or null if the file has none. */
  manifest: { state: 'Invalid' | 'Valid' | 'Trusted'; signers: string[]; failures: string[] } | null;
}

export interface Judges extends AsyncDisposable {
  /** Returns verdicts in the order of the files. */
  judge(files: readonly Buffer[]): Promise<Verdict[]>;
}

/** Opens exiftool, which must be installed, and c2pa-python, in a separate environment. */
export async function openJudges(): Promise<Judges> {
  const bin = await preparePython('c2pa-python==0.38.1');
  const reader = spawn(join(bin, 'python'), [join(import.meta.dirname, 'judge.py')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const answers = createInterface({ input: reader.stdout })[Symbol.asyncIterator]();

  async function readManifest(path: string): Promise<Verdict['manifest']> {
    reader.stdin.write(`${path}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error('c2pa-python has ended');
    return JSON.parse(value) as Verdict['manifest']; // the form that judge.py writes
  }

  return {
    async judge(files) {
      await using folder = await mkdtempDisposable(join(tmpdir(), 'darkroom-provenance-'));
      const paths = files.map((_, index) => join(folder.path, `${index}.${extensionOf(files[index])}`));
      for (const [index, path] of paths.entries()) await writeFile(path, files[index] ?? '');
      const types = await readSourceTypes(folder.path);
      const verdicts: Verdict[] = [];
      for (const path of paths)
        verdicts.push({ sourceType: types.get(path) ?? null, manifest: await readManifest(path) });
      return verdicts;
    },
    async [Symbol.asyncDispose]() {
      reader.stdin.end();
      if (reader.exitCode === null) await once(reader, 'exit');
    },
  };
}

async function readSourceTypes(folder: string): Promise<Map<string, string>> {
  const args = ['-json', '-n', '-XMP:DigitalSourceType', folder];
  const { stdout } = await promisify(execFile)('exiftool', args, { maxBuffer: 100_000_000 });
  const found = JSON.parse(stdout) as { SourceFile: string; DigitalSourceType?: string }[];
  return new Map(found.map(({ SourceFile, DigitalSourceType = '' }) => [SourceFile, DigitalSourceType]));
}

/** Returns the file name extension, by which readers of manifests choose the format. */
function extensionOf(file: Buffer = Buffer.alloc(0)): string {
  return sniffImage(file)?.split('/')[1] ?? 'png';
}
