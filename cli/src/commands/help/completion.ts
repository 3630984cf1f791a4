import { Argument, type Command } from 'commander';
import { print } from '../../output.ts';

const shells = { bash, zsh, fish };

export function addCompletion(program: Command): void {
  program
    .command('completion')
    .description('print a script that completes this command in a shell')
    .addArgument(new Argument('<shell>').choices(Object.keys(shells)))
    .addHelpText('after', examples)
    .action((shell: keyof typeof shells) => print(shells[shell](positionsOf(program))));
}

const examples = `
Examples:
  bash:  darkroom completion bash > ~/.local/share/bash-completion/completions/darkroom
  zsh:   darkroom completion zsh > "\${fpath[1]}/_darkroom"
  fish:  darkroom completion fish > ~/.config/fish/completions/darkroom.fish`;

/** The words that can follow a command. */
interface Position {
  /** The command's path, such as ` jobs list`. */
  at: string;
  words: { word: string; short?: string | undefined; about: string; takesValue: boolean }[];
}

function positionsOf(command: Command, at = ''): Position[] {
  const commands = command.commands.map((one) => ({
    word: one.name(),
    about: one.description(),
    takesValue: false,
  }));
  const options = command.options
    .filter(({ hidden }) => !hidden)
    .map(({ long, short, description, required }) => ({
      word: long ?? '',
      short,
      about: description,
      takesValue: required,
    }));
  const help = { word: '--help', short: '-h', about: 'show help', takesValue: false };
  return [
    { at, words: [...commands, ...options, help] },
    ...command.commands.flatMap((one) => positionsOf(one, `${at} ${one.name()}`)),
  ];
}

/** Returns a shell pattern for each command. Other words before the cursor, such as options, change no position. */
const step = (positions: readonly Position[]) => positions.map(({ at }) => `'${at}'`).slice(1);

function bash(positions: readonly Position[]): string {
  return `# Completes darkroom in bash. Where no word of ours fits, files are completed.
_darkroom() {
  local at='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$at $word" in ${step(positions).join('|')}) at="$at $word" ;; esac
  done
  local words=''
  case "$at" in
${positions.map(({ at, words }) => `    '${at}') words='${words.map(({ word }) => word).join(' ')}' ;;`).join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _darkroom darkroom`;
}

function zsh(positions: readonly Position[]): string {
  const described = ({ word, about }: Position['words'][number]) =>
    quoted(`${word.replaceAll(':', '\\:')}:${about}`);
  return `#compdef darkroom
# Completes darkroom in zsh. Where no word of ours fits, files are completed.
_darkroom() {
  local at='' word
  local -a found
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$at $word" in
      ${step(positions).join('|')}) at="$at $word" ;;
    esac
  done
  case "$at" in
${positions.map(({ at, words }) => `    '${at}') found=(${words.map(described).join(' ')}) ;;`).join('\n')}
  esac
  _describe 'darkroom' found || _files
}
if [ "$funcstack[1]" = _darkroom ]; then _darkroom "$@"; else compdef _darkroom darkroom; fi`;
}

function fish(positions: readonly Position[]): string {
  const line = (at: string, { word, short, about, takesValue }: Position['words'][number]) =>
    [
      `complete -c darkroom -n "__darkroom_at '${at}'"`,
      word.startsWith('--') ? `-l ${word.slice(2)}` : `-f -a ${word}`,
      ...(short ? [`-s ${short.slice(1)}`] : []),
      ...(takesValue ? ['-r'] : []),
      `-d ${quoted(about)}`,
    ].join(' ');
  return `# Completes darkroom in fish.
function __darkroom_at
    set -l at ''
    for word in (commandline -opc)[2..-1]
        if contains -- "$at $word" ${step(positions).join(' ')}
            set at "$at $word"
        end
    end
    test "$at" = "$argv[1]"
end
${positions.flatMap(({ at, words }) => words.map((word) => line(at, word))).join('\n')}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
