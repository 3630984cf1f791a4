import { lacksPublicUrl } from '../base/std/origin-of.ts';
import { cloneFolder } from '../config/clone-folder.ts';
import type { Config } from '../config/config.ts';
import { upstreamOf } from '../jobs/routes/open-routes.ts';
import type { Demo } from './demo-account.ts';

interface Started {
  url: string | null;
  demo: Demo | null;
  panelLink: string | null;
  uncovered: readonly string[];
  storeNotice: string | null;
  /** True if the other role is started separately, and `DARKROOM_PUBLIC_URL` is not set. */
  isSplit?: boolean;
}

const command = cloneFolder ? 'npx darkroom' : 'darkroom';

/** Shows the key only on the first start. */
export function banner(
  { role, routes, http }: Config,
  { url, demo, panelLink, uncovered, storeNotice, isSplit = false }: Started,
  /** The file with the panel's link. Set if another program collects this output, which then must have no secrets. */
  linkFile: string | null = null,
): string {
  const notice = [...(isSplit ? differing : []), ...(storeNotice === null ? [] : notOurs(storeNotice))];
  if (url === null) return ['', `  Darkroom ${role} is running.`, ...notice, '', ''].join('\n');
  const shownLink = linkFile === null ? `${panelLink}   opens once` : `${url}, by the link in ${linkFile}`;
  const panel = panelLink ? shownLink : url;
  const lines = [
    '',
    '  Darkroom is ready.',
    '',
    `  Panel      ${panel}`,
    `  API        ${url}/api/v1`,
    `  Docs       ${url}/docs`,
    ...(lacksPublicUrl(http) && !isSplit ? elsewhere : []),
    ...modelLines(routes),
    ...uncovered.map((gap) => `             ${gap}`),
  ];
  lines.push(...notice);
  if (demo?.key && linkFile === null) lines.push(...firstStart(url, demo.key, demo));
  else if (demo?.hint) lines.push(`  Key        ${demo.hint}, in ${demo.file}`);
  lines.push(
    '',
    `  ${command} generate "a lighthouse at dusk"   makes an image from another terminal, in this folder`,
    '',
    '',
  );
  return lines.join('\n');
}

function notOurs(why: string): string[] {
  return [
    `  Images     The image store ${why}: this database is new here, a copy, or restored.`,
    `             No image is removed until you decide: ${command} adopt-store --help`,
  ];
}

const elsewhere = [
  '  Clients    on other machines cannot follow links to localhost: set DARKROOM_PUBLIC_URL to the address',
  'by which they reach this server, such as http://192.168.1.10:3000',
];

const differing = [
  '  Links      differ by process: set DARKROOM_PUBLIC_URL in every process, API and worker, to the one address',
  'by which clients reach the API. Links in webhooks have the address of the process that sends them.',
];

function modelLines(routes: Config['routes']): string[] {
  if (routes.every(({ provider }) => provider === 'sketch'))
    return [
      '  Models     none is configured: the embedded sketch draws simple scenes itself.',
      '             Set GEMINI_API_KEY, OPENAI_BASE_URL or another; see docs/guides/models.md',
    ];
  return [...Map.groupBy(routes, ({ model }) => model)].map(([model, own], index) => {
    const names = own.map((route) => `${route.provider} ${upstreamOf(route) ?? ''}`.trim());
    return `  ${(index === 0 ? 'Models' : '').padEnd(9)}  ${model}: ${names.join(', then ')}`;
  });
}

function firstStart(url: string, key: string, { credit, file }: Demo): string[] {
  return [
    `  Key        ${key}`,
    `             of the account "demo", with ${credit} credit; shown only now, kept in ${file}`,
    '',
    '  Try it:',
    '',
    `  curl -sS ${url}/api/v1/nb2/text-generations \\`,
    `    -H 'Authorization: Bearer ${key}' \\`,
    `    -H 'Content-Type: application/json' \\`,
    `    -d '{"prompt": "a lighthouse at dusk", "aspect_ratio": "16:9"}'`,
  ];
}
