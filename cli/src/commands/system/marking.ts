import type { MarkingStatus } from '@darkroom/server/operator';
import type { Command } from 'commander';
import { onDatabase } from '../../operator.ts';
import { print, printJson, printLine, tell } from '../../output.ts';

export function addMarking(program: Command): void {
  const marking = program
    .command('marking')
    .helpCommand(false)
    .description('init, status: the marks of origin in results, and their certificate');
  marking
    .command('init')
    .description('make a key and a request for a certificate that signs results (C2PA)')
    .option('--name <name>', "the signer's name for readers", 'Darkroom')
    .option('--self-signed', 'make the certificate as well, to try: readers call it untrusted')
    .option('--json', 'print one JSON object')
    .addHelpText(
      'after',
      `
The files are in the folder "signing" of the data folder. An existing key stays, so the same command renews
a certificate.`,
    )
    .action(init);
  marking
    .command('status')
    .description('the marks in results, the certificate, and when it expires')
    .option('--json', 'print one JSON object')
    .action(status);
}

async function init({
  name,
  selfSigned = false,
  json,
}: {
  name: string;
  selfSigned?: boolean;
  json?: true;
}): Promise<void> {
  const made = await onDatabase((server) => server.initMarking(process.env, { name, selfSigned }));
  if (json) return printJson(made);
  tell(
    `${made.key_kept ? 'The key was kept' : 'The key is new'}: ${made.key_file}. Nobody else may read it.`,
  );
  if (made.request_file !== null) {
    tell(`Send the request to an authority that issues certificates for C2PA: ${made.request_file}`);
    tell(`Put the certificate, followed by its issuers, into ${made.certificate_file}`);
  }
  tell('Then set this in the configuration file (DARKROOM_CONFIG), and restart:');
  const signing = { certificateFile: made.certificate_file, keyFile: made.key_file };
  print(JSON.stringify({ marking: { signing } }, null, 2));
}

async function status({ json }: { json?: true }): Promise<void> {
  const marking = await onDatabase((server) => server.readMarking(process.env));
  if (json) return printJson(marking);
  for (const [what, found] of linesOf(marking)) printLine(`${what.padEnd(12)}  ${found}`);
}

function linesOf({ signing, ...marking }: MarkingStatus): [string, string][] {
  const kept = marking.keep_signed ? '; signed images of upstreams stay as they came' : '';
  return [
    ['XMP', `in every result: how it was made, when, its job${kept}`],
    ['AIGC', marking.aigc_producer ?? 'no (marking.aigcProducer)'],
    ['/verify', marking.public_verify ? 'open to anybody' : 'closed (marking.publicVerify)'],
    [
      'signature',
      signing ? `C2PA, by ${signing.certificate}` : 'none (marking.signing; darkroom marking init)',
    ],
    ...(signing ? linesOfSigning(signing) : []),
  ];
}

function linesOfSigning(signing: NonNullable<MarkingStatus['signing']>): [string, string][] {
  const open = signing.open_key_file;
  return [
    ['issued by', signing.self_signed ? 'itself: readers call it untrusted' : signing.issuer],
    ['until', signing.ends_at],
    ['time stamps', signing.time_stamps ?? 'none: signatures are invalid after that day'],
    ...(open === null
      ? []
      : [['key', `every user may read it: chmod 600 ${open}`] satisfies [string, string]]),
    ['works', signing.wrong === null ? 'yes: an image was signed and read' : `no: ${signing.wrong}`],
  ];
}
