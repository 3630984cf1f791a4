import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { cp, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { test } from 'node:test';
import { settingNames } from '../../src/config/config-report.ts';
import { openWorld } from '../world/world.ts';
import { helmValues, kubernetesVersion } from './helm-values.ts';

const root = resolve(import.meta.dirname, '../../..');
const deploy = join(root, 'deploy');
const textOf = (file: string) => readFileSync(join(deploy, file), 'utf8');
const guide = readFileSync(join(root, 'docs/guides/operating.md'), 'utf8');
const alerts = textOf('prometheus/alerts.yml');

/** Each file with the program that checks it. The system's own programs may be outside the PATH. */
const tools: [file: string, program: string, ...args: string[]][] = [
  ['nginx.conf', 'nginx', '-t', '-q', '-c', 'FILE', '-g', 'pid FOLDER/pid; error_log stderr;'],
  ['haproxy.cfg', 'haproxy', '-c', '-q', '-f', 'FILE'],
  ['Caddyfile', 'caddy', 'validate', '--adapter', 'caddyfile', '--config', 'FILE'],
  ['systemd/darkroom.service', 'systemd-analyze', 'verify', 'FILE'],
  ['prometheus/prometheus.yml', 'promtool', 'check', 'config', '--syntax-only', 'FILE'],
  ['prometheus/alerts.yml', 'promtool', 'check', 'rules', 'FILE'],
  ['prometheus/alerts.test.yml', 'promtool', 'test', 'rules', 'FILE'],
  ['helm', 'helm', 'lint', '--strict', 'FILE', ...helmValues()],
  ['compose.yaml', 'docker', 'compose', '-f', 'FILE', 'config', '--quiet'],
];
const path = `${process.env.PATH}${delimiter}/usr/sbin`;

const chartSkip = !isThere('helm') && 'NO helm';

test('the chart renders what its snapshot says, which was checked against Kubernetes’ schemas', {
  skip: chartSkip,
}, () => {
  const args = ['template', 'darkroom', join(deploy, 'helm'), '--kube-version', kubernetesVersion];
  const { stdout, stderr } = spawnSync('helm', [...args, ...helmValues()], {
    env: { PATH: path },
    encoding: 'utf8',
  });
  assert.equal(stdout, readFileSync(join(import.meta.dirname, 'chart.yaml'), 'utf8'), stderr);
});

function isThere(program: string): boolean {
  const args = program === 'docker' ? ['compose', 'version'] : ['--version'];
  const { error, status } = spawnSync(program, args, { env: { PATH: path } });
  return error === undefined && (program !== 'docker' || status === 0);
}

for (const [file, program, ...args] of tools) {
  const skip = !isThere(program) && `NO ${program}`;
  test(`deploy/${file}: ${program} ${args[0]}`, { skip }, async () => {
    await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-deploy-'));
    await cp(deploy, place.path, { recursive: true });
    // The check needs this command, which is not installed here.
    const unit = join(place.path, 'systemd/darkroom.service');
    await writeFile(unit, (await readFile(unit, 'utf8')).replace('/usr/local/bin/darkroom', '/bin/true'));
    const filled = args.map((arg) =>
      arg.replace('FILE', join(place.path, file)).replace('FOLDER', place.path),
    );
    const { status, stdout, stderr } = spawnSync(program, filled, {
      env: { PATH: path, HOME: place.path },
      encoding: 'utf8',
    });
    assert.equal(status, 0, `${stdout}${stderr}`);
  });
}

test('the server has every metric that alerts, dashboard, scaling and the guide name', async () => {
  await using world = await openWorld();
  const text = await (await fetch(`${world.url}/metrics`)).text();
  // Metrics that need a setting: connections exist only with PostgreSQL, and the rest only with a replica.
  const ofReplica = ['reads_total', 'up', 'lag_bytes'].map((name) => `darkroom_replica_${name}`);
  // These exist only if there is a certificate.
  const ofSigning = ['darkroom_signing_certificate_ends_seconds', 'darkroom_images_not_signed_total'];
  const ofPolicy = ['', '_count'].map((end) => `darkroom_policy_seconds${end}`); // only with a policy service
  const told = new Set(['up', 'darkroom_database_connections', ...ofReplica, ...ofSigning, ...ofPolicy]);
  for (const [, name = '', kind] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm))
    for (const end of kind === 'histogram' ? ['', '_bucket', '_sum', '_count'] : [''])
      told.add(`${name}${end}`);
  const { panels } = JSON.parse(textOf('grafana/darkroom.json'));
  const asked = [
    ...panels.flatMap(({ targets }: { targets: { expr: string }[] }) => targets.map(({ expr }) => expr)),
    alerts,
    textOf('helm/templates/scaling.yaml'),
    guide,
  ].join('\n');
  const names = asked.match(/\b(darkroom|nodejs|process)_[a-z0-9_]+/g) ?? [];
  const untold = [...told].filter((name) => /^darkroom_/.test(name) && !guide.includes(bare(name)));
  assert.deepEqual(untold, [], 'the guide lists all');
  assert.deepEqual(
    names.filter((name) => !told.has(name)),
    [],
  );
});

const bare = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

test('each alert has a page in docs/operations, and each page is in its list', () => {
  const names = [...alerts.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
  const pages = globSync('Darkroom*.md', { cwd: join(root, 'docs/operations') });
  assert.deepEqual(pages.sort(), names.map((name) => `${name}.md`).sort());
  const list = readFileSync(join(root, 'docs/operations/README.md'), 'utf8');
  for (const page of pages) assert.ok(list.includes(`](${page})`), page);
});

test('the chart’s metrics have the job that alerts and the dashboard select', () => {
  const selected = `${alerts}${textOf('grafana/darkroom.json')}`.matchAll(/job=\\?"(\w+)/g);
  assert.deepEqual([...new Set([...selected].map(([, job]) => job))], ['darkroom']);
  const label = /jobLabel: (\S+)/.exec(textOf('helm/templates/scaling.yaml'))?.[1];
  assert.ok(textOf('helm/templates/_helpers.tpl').includes(`${label}: darkroom\n`), `jobLabel is ${label}`);
});

test('the variables that the files set are settings', () => {
  const set = globSync('{Dockerfile,compose.yaml,systemd/*,helm/templates/*}', { cwd: deploy })
    .map(textOf)
    .join('\n')
    .match(/\b(DARKROOM|AWS|DATABASE)_[A-Z_]+/g);
  const unknown = (set ?? []).filter((name) => !settingNames.includes(name.replace(/_FILE$/, '')));
  assert.deepEqual(unknown, []);
});
