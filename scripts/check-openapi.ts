import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readServed } from './contract/served-documents.ts';
import { installTools } from './openapi-tools/install.ts';

// Part of npm run check: runs two validators with different rules, and fails if either warns.
const tools = await installTools();
await using served = await readServed();
for (const [prefix, described] of Object.entries(served.documents)) {
  const document = join(served.dataDir, `openapi${prefix.replaceAll('/', '-')}.json`);
  await writeFile(document, JSON.stringify(described, null, 2));
  run('redocly', 'lint', '--config', 'redocly.yaml', document);
  run('spectral', 'lint', '--fail-severity=hint', document);
}

function run(tool: string, ...args: string[]): void {
  const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status } = spawnSync(join(tools, 'node_modules/.bin', tool), args, {
    stdio: 'inherit',
    env,
    cwd: tools,
  });
  if (status !== 0) process.exitCode = 1;
}
