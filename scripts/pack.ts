import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packagesDir } from '../server/src/web/api/reference/register-packages.ts';
import { pack, root } from './packaging/pack-folder.ts';
import { stageSdk } from './packaging/stage-sdk.ts';
import { stageServer } from './packaging/stage-server.ts';

// npm run pack [-- --into FOLDER]
// Makes the packages to install without a clone: the command with server and panel, and the SDK. Its npm script first
// builds the panel and the clients' packages, which the command includes.
const { values } = parseArgs({ options: { into: { type: 'string', default: packagesDir } } });
const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

await mkdir(values.into, { recursive: true });
await pack(join(values.into, `darkroom-${version}.tgz`), stageServer);
await pack(join(values.into, `darkroom-sdk-${version}.tgz`), stageSdk);
