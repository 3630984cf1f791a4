/** A section of the documentation: Markdown files in reading order, without their extension. */
export interface Section {
  id: string;
  title: string;
  about: string;
  files: readonly string[];
  /** Folders, whose names are in their pages' addresses. The navigation lists only the pages of an open folder. */
  folders?: readonly { name: string; index: string; files: readonly string[] }[];
}

const guides = (names: string) => names.split(' ').map((name) => `docs/guides/${name}`);
const providers = (names: string) => names.split(' ').map((name) => `docs/providers/${name}`);

export const sections: readonly Section[] = [
  {
    id: 'start',
    title: 'Start',
    about: 'Four tutorials of five minutes each.',
    files: ['docs/start/api', 'docs/start/panel', 'docs/start/open-webui', 'docs/start/operator'],
  },
  {
    id: 'guides',
    title: 'Guides',
    about: 'How to do one thing, from start to end.',
    files: guides('sdk images browsers batches buckets programs openai gemini mcp'),
  },
  {
    id: 'concepts',
    title: 'Concepts',
    about: 'The promises of Darkroom, and how it keeps them.',
    files: ['docs/concepts/jobs', 'docs/concepts/money', ...guides('limits webhooks origin')],
  },
  {
    id: 'operate',
    title: 'Operate',
    about: 'For operators of this installation.',
    files: [
      ...guides('operating'),
      'docs/settings',
      ...guides('models administration sign-up payments policy capacity'),
      'docs/security',
      'docs/reliability',
    ],
    folders: [
      {
        name: 'providers',
        index: 'docs/providers/connecting',
        files: providers(
          'answers gemini openai azure fal replicate bfl bedrock comfyui automatic1111 calendar bills',
        ),
      },
      {
        name: 'alerts',
        index: 'docs/operations/README',
        files:
          `AnswersFail CertificateEnds CostRose DiskFull InvariantsViolated JobsFail LoopSlow NotMeasured PolicyDown
ProcessDown ProcessorsBusy QueueStuck RouteFull RouteOut SignInsFail SoldBelowCost UpstreamEnds WebhooksLate`
            .split(/\s+/)
            .map((name) => `docs/operations/Darkroom${name}`),
      },
    ],
  },
];

export function sectionsFor({ operatorDocs }: { operatorDocs: boolean }): readonly Section[] {
  return operatorDocs ? sections : sections.filter(({ id }) => id !== 'operate');
}

export const changelogFile = 'CHANGELOG';

/** Returns the address of a page. The address does not change if the page's file moves within the repository. */
export function pathOf({ id, folders = [] }: Section, file: string): string {
  const folder = folders.find(({ index, files }) => file === index || files.includes(file));
  const above = folder ? `/docs/${id}/${folder.name}` : `/docs/${id}`;
  return file === folder?.index ? above : `${above}/${file.split('/').at(-1)}`;
}
