import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const names = ['package.json', 'package-lock.json', 'redocly.yaml', '.spectral.yaml'];

/** Installs the lock file's tools in a folder that all clones share. The first time takes half a minute. */
export async function installTools(): Promise<string> {
  const files = await Promise.all(names.map((name) => readFile(join(import.meta.dirname, name))));
  const hash = createHash('sha256').update(Buffer.concat(files)).digest('hex').slice(0, 12);
  const place = join(tmpdir(), `darkroom-openapi-tools-${hash}`);
  if (existsSync(place)) return place;
  const made = await mkdtemp(`${place}-`);
  try {
    for (const name of names) await cp(join(import.meta.dirname, name), join(made, name));
    const install = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { status } = spawnSync('npm', install, { cwd: made, stdio: 'inherit' });
    if (status !== 0)
      throw new Error('The tools that check openapi.json could not be installed: is the registry there?');
    // Keeps another process's folder, because both have the same tools.
    if (!existsSync(place)) await rename(made, place).catch(() => {});
    return place;
  } finally {
    await rm(made, { recursive: true, force: true });
  }
}
