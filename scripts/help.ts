import { readFileSync } from 'node:fs';
import { join } from 'node:path';

// npm run help [-- --check]
// Lists each script with its purpose. With --check, compares this list with package.json, whose scripts must have the
// same names in the same order.
const groups: Record<string, Record<string, string>> = {
  'Every day': {
    start: 'starts the server from the sources',
    test: 'the tests, on SQLite and PostgreSQL; takes names of files, and --times',
    'test:long': 'the tests that take the longest; CI runs both',
    check: 'types, style, unused code, words, languages, snapshots, OpenAPI',
    help: 'this list',
    languages: 'writes what the panel says into panel/src/languages/*.json, to be translated',
    snapshots: 'writes the snapshots that check compares: API, SDK types, schemas',
  },
  'Parts of check': {
    'check:types': 'TypeScript',
    'check:style': 'Biome',
    'check:unused': 'knip',
    'check:words': 'the habits of docs/voice.md',
    'check:languages': 'what the panel says against its translations',
    'check:snapshots': 'compares the snapshots',
    'check:openapi': 'Redocly and Spectral',
  },
  'Build and release': {
    prepare: 'what npm ci builds: the panel, and the packages for clients',
    packages: 'the SDK and the command line that the server gives to its clients',
    pack: 'the command with server and panel, and the SDK, into dist/',
    raise: 'raise -- 0.3.0: the version that the clone calls itself',
    release: 'release -- 0.2.0: checks and tags a version; --plan only says how',
    screenshots: 'the images of docs/panel',
  },
  'Check what is built': {
    'check:package': 'installs the package with npm, makes an image, measures starts and memory',
    'check:deploy': 'deploy/: each file by the program that reads it, if installed',
    'check:chart': 'the Helm chart against the schemas of Kubernetes; needs Go',
    'check:image': 'the steps of the Dockerfile in a Debian; needs root and debootstrap',
  },
  'Find faults': {
    property: '-- --seeds 1000: random operations against a model',
    faults: '-- --seed 1 --minutes 10: kills, pauses and cuts, then checks everything',
    'power-cuts': 'the power fails 2,000 times under creates on SQLite; needs strace',
    failover: 'kills the primary of a replicated PostgreSQL twenty times under creates',
    attack: 'every call by every caller with every broken body',
    schemathesis: '-- 1000: requests that fit the OpenAPI documents, and that do not; needs Python 3',
    mutants: '-- --seed 1 --count 40: small changes of the code that a test must notice',
    'postgres-versions': 'the tests of the database on PostgreSQL 14 to 17',
  },
  'Against programs of others': {
    clients: 'Python clients, LiteLLM and LangChain: against the emulators, the doors, and a proxy that cuts',
    codegen: 'clients of three generators make images; needs Python 3 and Go',
    'mcp-conformance': "the protocol suite, the inspector and FastMCP's sign-in against /mcp",
    provenance: 'exiftool and c2pa-python judge the marks; -- copies and -- time measure',
    upstreams: 'adapters against a real LiteLLM, SGLang and vLLM emulators, and servers of yours',
  },
  Measure: {
    bench: 'each scenario beside its reference; -- --only NAME',
    'page-weight': 'what pages of the panel weigh, and how soon they are there; needs Chromium',
    gallery: '100,000 jobs in one account: searches, frames, memory',
    simulate: 'steady, varied traffic',
  },
};

const { scripts } = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
const described = Object.values(groups).flatMap(Object.keys);
const wrong = [
  ...Object.keys(scripts).filter((name) => !described.includes(name)),
  ...described.filter((name) => !(name in scripts)),
];
const order = Object.keys(scripts).filter((name, at) => wrong.length === 0 && name !== described[at]);
if (process.argv.includes('--check')) process.exit(tellDifferences());
for (const [title, lines] of Object.entries(groups)) {
  process.stdout.write(`\n${title}\n`);
  for (const [name, about] of Object.entries(lines))
    process.stdout.write(`  ${`npm run ${name}`.padEnd(27)} ${about}\n`);
}
process.stdout.write(`
npm test brings its own PostgreSQL on Linux (x64); elsewhere set TEST_DATABASE_URL. Tests of the panel need
Debian's chromium-headless-shell or chromium, and are skipped, with a notice, without it.
`);
process.exitCode = tellDifferences();

/** @returns the exit code */
function tellDifferences(): number {
  if (wrong.length + order.length === 0) return 0;
  const about = wrong.length > 0 ? wrong.join(', ') : `another order from ${order[0]} on`;
  process.stderr.write(`\nscripts/help.ts and package.json differ: ${about}\n`);
  return 1;
}
