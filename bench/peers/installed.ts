import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

// The programs that Darkroom is compared with. They are not dependencies of the project: they are installed on first
// use and kept for the next run.
const versions = { '@portkey-ai/gateway': '1.15.2', 'pg-boss': '12.38.0', 'graphile-worker': '0.18.0' };
type Peer = keyof typeof versions;

export async function installed(name: Peer): Promise<string> {
  const version = versions[name];
  const folder = join(
    import.meta.dirname,
    '../../node_modules/.cache/darkroom-bench',
    `${name.replace('/', '-')}-${version}`,
  );
  const place = join(folder, 'node_modules', name);
  if (existsSync(place)) return place;
  // The package goes into a temporary folder first, because an interrupted installation would look complete.
  const half = `${folder}.${process.pid}`;
  await mkdir(half, { recursive: true });
  await writeFile(join(half, 'package.json'), '{"private":true}');
  const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--loglevel', 'error'];
  const child = spawn('npm', ['install', ...flags, `${name}@${version}`], { cwd: half, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code === 0) {
    await rm(folder, { recursive: true, force: true });
    await rename(half, folder);
    return place;
  }
  await rm(half, { recursive: true });
  throw new Error(`npm could not install ${name}`);
}
