/** `portico completion bash|zsh|fish`: a script for the shell, written from the table of verbs. */
import { COMMON } from './arguments.ts';
import { EXIT, usageError } from './exit-code.ts';
import { groupNames, verbsOfGroup } from './kpt-names.ts';
import type { Option, Run, Verb } from './verb.ts';

type Script = (verbs: readonly Verb[]) => string;

const SCRIPTS: Readonly<Record<string, Script>> = { bash, zsh, fish };

/** The verb over a table, which it is itself in. */
export function completion(verbs: readonly Verb[]): Run {
  return async ({ positionals: [shell = ''], terminal }) => {
    const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell]?.(verbs) : undefined;
    if (script === undefined)
      throw usageError(`there is no completion for ${shell}`, 'Write portico completion bash, zsh or fish.');
    if (terminal.json) terminal.document({ shell, script });
    else terminal.write(script);
    return EXIT.ok;
  };
}

/** Words of a verb's first argument, for verbs of two words. */
function words({ name }: Verb): readonly string[] {
  return name === 'completion' ? Object.keys(SCRIPTS) : [];
}

const optionsOf = (verb: Verb): readonly Option[] => [...verb.options, ...COMMON];

function firstWords(verbs: readonly Verb[]): string {
  return [...verbs.map(({ name }) => name), ...groupNames(), 'help'].join(' ');
}

function bash(table: readonly Verb[]): string {
  const groups = groupNames().map((group) => `    ${group}) words='${verbsOfGroup(group).join(' ')}' ;;`);
  const verbs = table.map((verb) => {
    const flags = optionsOf(verb).map(({ name }) => `--${name}`);
    return `    ${verb.name}) words='${[...words(verb), ...flags].join(' ')}' ;;`;
  });
  const values = table.flatMap((verb) =>
    verb.options.flatMap(({ name, short, choices }) => {
      if (choices === undefined) return [];
      const spelled = [`--${name}`, ...(short === undefined ? [] : [`-${short}`])];
      return [
        `    ${spelled.map((one) => `${verb.name}:${one}`).join('|')}) words='${choices.join(' ')}' ;;`,
      ];
    }),
  );
  return `# portico: source <(portico completion bash), or save it in /etc/bash_completion.d
_portico() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} verb='' words='' at
  for ((at = 1; at < COMP_CWORD; at++)); do
    verb=\${COMP_WORDS[at]}
    case $verb in ${groupNames().join('|')}|help) ;; *) break ;; esac
  done
  case $verb in
    '') words='${firstWords(table)}' ;;
    help) words='${table.map(({ name }) => name).join(' ')}' ;;
${[...groups, ...verbs].join('\n')}
  esac
  case $verb:$previous in
${values.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _portico portico
`;
}

function zsh(table: readonly Verb[]): string {
  const verbs = table.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = table.map((verb) => {
    const options = optionsOf(verb).map((option) => `        ${quoted(zshOption(option))}`);
    const first = words(verb);
    const rest = first.length === 0 ? `'*:file:_files'` : quoted(`1:word:(${first.join(' ')})`);
    return `    ${verb.name})\n      _arguments -S \\\n${[...options, `        ${rest}`].join(' \\\n')} ;;`;
  });
  const groups = groupNames().map(
    (group) => `    ${group}) compadd ${verbsOfGroup(group).join(' ')}; return ;;`,
  );
  return `#compdef portico
# portico: source <(portico completion zsh) after compinit, or save it as _portico in a directory of $fpath
_portico() {
  local -a verbs
  verbs=(
${verbs.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe verb verbs
    compadd ${groupNames().join(' ')} help
    return
  fi
  if (( CURRENT == 3 )); then
    case $words[2] in
${groups.join('\n')}
    help) _describe verb verbs; return ;;
    esac
  fi
  case $words[2] in ${groupNames().join('|')}) shift words; (( CURRENT-- )) ;; esac
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join('\n')}
  esac
}
if [[ $funcstack[1] == _portico ]]; then _portico "$@"; else compdef _portico portico; fi
`;
}

/** The long form only: completing both would list each option twice. */
function zshOption({ name, value, choices, many, help }: Option): string {
  const text = help.replaceAll(/[[\]:]/g, (mark) => `\\${mark}`);
  const takes = value === undefined ? '' : `:${value.replaceAll(':', '\\:')}:${zshValues(choices)}`;
  const repeat = many === true ? '*' : '';
  return `${repeat}--${name}${value === undefined ? '' : '='}[${text}]${takes}`;
}

function zshValues(choices: readonly string[] | undefined): string {
  return choices === undefined ? '_files' : `(${choices.join(' ')})`;
}

function fish(table: readonly Verb[]): string {
  const none = `not __fish_seen_subcommand_from ${firstWords(table)}`;
  const verbs = table.map(
    ({ name, summary }) => `complete -c portico -f -n ${quoted(none)} -a ${name} -d ${quoted(summary)}`,
  );
  const groups = groupNames().flatMap((group) => [
    `complete -c portico -f -n ${quoted(none)} -a ${group} -d ${quoted('as kpt calls it')}`,
    `complete -c portico -f -n ${quoted(`__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${verbsOfGroup(group).join(' ')}`)} -a ${quoted(verbsOfGroup(group).join(' '))}`,
  ]);
  const options = table.flatMap((verb) => {
    const seen = `-n ${quoted(`__fish_seen_subcommand_from ${verb.name}`)}`;
    const flags = optionsOf(verb).map(({ name, short, value, choices, help }) => {
      const letter = short === undefined ? '' : ` -s ${short}`;
      const takes =
        value === undefined ? '' : choices === undefined ? ' -r' : ` -x -a ${quoted(choices.join(' '))}`;
      return `complete -c portico ${seen} -l ${name}${letter}${takes} -d ${quoted(help)}`;
    });
    const first = words(verb);
    return first.length === 0
      ? flags
      : [...flags, `complete -c portico -f ${seen} -a ${quoted(first.join(' '))}`];
  });
  return `# portico: portico completion fish | source, or save it as ~/.config/fish/completions/portico.fish
${[...verbs, ...groups, ...options].join('\n')}
`;
}

/** In single quotes, as all three shells read them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'"'"'`)}'`;
}
