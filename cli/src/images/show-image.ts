import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tell } from '../output.ts';
import { draw, findProtocol, type Protocol } from './draw.ts';

export interface ShowOptions {
  /** How to show the image; if undefined, the environment's terminal decides. */
  picture?: Protocol | 'none';
  open?: true;
}

export async function showImage(file: string, { picture, open }: ShowOptions): Promise<void> {
  const protocol = picture === 'none' ? undefined : (picture ?? findProtocol(process.env));
  const { isTTY } = process.stderr;
  if (protocol && (isTTY || picture)) process.stderr.write(draw(await readFile(file), protocol) ?? '');
  if (open) openInViewer(file);
}

/** The viewer of each platform. Other platforms use freedesktop.org's viewer. */
const viewers: Partial<Record<NodeJS.Platform, [string, ...string[]]>> = {
  darwin: ['open'],
  win32: ['explorer.exe'],
};

function openInViewer(file: string): void {
  const [command, ...args] = viewers[process.platform] ?? ['xdg-open'];
  const viewer = spawn(command, [...args, file], { stdio: 'ignore', detached: true });
  viewer.on('error', () => tell(`darkroom: ${command} cannot be started; the image is in ${file}`));
  viewer.unref();
}
