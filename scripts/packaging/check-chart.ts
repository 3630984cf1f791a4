import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { parse } from 'yaml';
import { helmValues, kubernetesVersion } from '../../server/test/deploy/helm-values.ts';

// npm run check:chart [-- --write]
// Lints and renders the Helm chart, checks each resource strictly against the schemas of Kubernetes, KEDA and the
// Prometheus operator, and compares the rendered chart with the snapshot, which --write replaces. Needs only Go and its
// module proxy. The first run builds helm and kubeconform, which takes minutes.
const programs = {
  helm: 'helm.sh/helm/v3/cmd/helm@v3.16.4',
  kubeconform: 'github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7',
};
const definitions: [module: string, file: string][] = [
  ['github.com/kedacore/keda/v2@v2.15.1', 'config/crd/bases/keda.sh_scaledobjects.yaml'],
  [
    'github.com/prometheus-operator/prometheus-operator@v0.75.0',
    'example/prometheus-operator-crd-full/monitoring.coreos.com_podmonitors.yaml',
  ],
];
const textOrNumber = [{ type: 'string' }, { type: 'number' }];
const root = resolve(import.meta.dirname, '../..');
const chart = join(root, 'deploy/helm');
const snapshot = join(root, 'server/test/deploy/chart.yaml');
const tools = join(root, 'node_modules/.cache/go');
await mkdir(tools, { recursive: true });

for (const [program, source] of Object.entries(programs))
  if (!existsSync(join(tools, program))) run('go', ['install', source]);

await using place = await mkdtempDisposable(join(tmpdir(), 'darkroom-chart-'));
await writeKubernetesSchemas(folderOf(`k8s.io/kubernetes@v${kubernetesVersion}`));
for (const [module, file] of definitions) await writeResourceSchemas(join(folderOf(module), file));

run('helm', ['lint', '--strict', chart, ...helmValues()]);
const filled = run('helm', [
  'template',
  'darkroom',
  chart,
  '--kube-version',
  kubernetesVersion,
  ...helmValues(),
]);
const schemas = join(place.path, '{{.ResourceKind}}{{.KindSuffix}}.json');
process.stdout.write(
  run('kubeconform', ['-strict', '-summary', '-verbose', '-schema-location', schemas], filled),
);
if (process.argv.includes('--write')) await writeFile(snapshot, filled);
else if ((await readFile(snapshot, 'utf8')) !== filled)
  throw new Error(
    'The chart makes something else than its snapshot says. If that is meant: npm run check:chart -- --write',
  );

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: unknown;
  oneOf?: Schema[];
  $ref?: unknown;
  [name: string]: unknown;
}

/** Writes one schema per kind, which refers to the definitions of Kubernetes' own API. */
async function writeKubernetesSchemas(folder: string): Promise<void> {
  const text = await readFile(join(folder, 'api/openapi-spec/swagger.json'), 'utf8');
  const all = join(place.path, 'definitions.json');
  const api: { definitions: Record<string, Schema> } = JSON.parse(
    text.replaceAll('"#/definitions/', `"file://${all}#/definitions/`),
  );
  for (const [name, schema] of Object.entries(api.definitions))
    if (/\.(Quantity|IntOrString)$/.test(name)) api.definitions[name] = { oneOf: textOrNumber };
    else refuseUnknown(schema);
  await writeFile(all, JSON.stringify({ definitions: api.definitions }));
  for (const schema of Object.values(api.definitions))
    for (const kind of (schema['x-kubernetes-group-version-kind'] as Kind[] | undefined) ?? []) // the API's shape
      await writeSchema(kind, schema);
}

async function writeResourceSchemas(file: string): Promise<void> {
  const { spec } = parse(await readFile(file, 'utf8'));
  for (const { name: version, schema } of spec.versions) {
    const { openAPIV3Schema: whole } = schema;
    whole.properties.metadata = { type: 'object' };
    refuseUnknown(whole);
    await writeSchema({ group: spec.group, version, kind: spec.names.kind }, whole);
  }
}

interface Kind {
  group: string;
  version: string;
  kind: string;
}

async function writeSchema({ group, version, kind }: Kind, schema: Schema): Promise<void> {
  const [short] = group.split('.');
  const name = [kind.toLowerCase(), short, version].filter(Boolean).join('-');
  await writeFile(join(place.path, `${name}.json`), JSON.stringify(schema));
}

/** Makes a schema refuse a misspelt name, about which a server would only warn. */
function refuseUnknown(schema: Schema): void {
  if (schema['x-kubernetes-int-or-string'] === true) {
    for (const name of Object.keys(schema)) delete schema[name];
    schema.oneOf = textOrNumber;
  }
  if (schema.type === 'object' && schema.properties) schema.additionalProperties ??= false;
  for (const part of [...Object.values(schema.properties ?? {}), schema.items, schema.additionalProperties])
    if (typeof part === 'object' && part !== null) refuseUnknown(part as Schema); // the form of JSON Schema
}

function folderOf(module: string): string {
  return JSON.parse(run('go', ['mod', 'download', '-json', module])).Dir;
}

function run(program: string, args: string[], input = ''): string {
  const env = { ...process.env, GOBIN: tools, PATH: `${tools}${delimiter}${process.env.PATH}` };
  const { status, error, stdout, stderr } = spawnSync(program, args, {
    env,
    input,
    encoding: 'utf8',
    cwd: tools,
    maxBuffer: 1e8,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${args[0]}: ${stdout}${stderr}`);
  return stdout;
}
