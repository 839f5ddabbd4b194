/** Completion of commands and options in shells, printed as a script. */
import { command } from '#config/command/line/build.ts'
import type { Command } from '#config/command/line/command.ts'
import { argument, readAs } from '#config/command/line/flag.ts'
import { UsageError } from '#config/command/line/command.ts'

const shells = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof shells)[number]

/** Words that can follow: first words, second words by first, options by command. */
interface Words {
  first: readonly string[]
  second: ReadonlyMap<string, readonly string[]>
  options: ReadonlyMap<string, readonly string[]>
}

function wordsOf(commands: readonly Command[]): Words {
  const pairs = commands.map(({ name }) => name.split(' ') as [string, string?])
  const groups = Map.groupBy(pairs, ([group]) => group)
  return {
    first: [...groups.keys()].toSorted(),
    second: new Map(
      [...groups]
        .map(([group, own]) => [group, own.flatMap(([, one]) => one ?? [])] as const)
        .filter(([, own]) => own.length > 0),
    ),
    options: new Map(
      commands.map(({ name, options, isTable }) => [
        name,
        [...Object.keys(options), 'json', ...(isTable ? ['csv'] : []), 'help'].map((one) => `--${one}`),
      ]),
    ),
  }
}

/** Two words name most commands, one word the others: the longer one is looked for first. */
const bash = ({ first, second, options }: Words): string =>
  [
    '# Completion for bash: tidemark completion bash > ~/.local/share/bash-completion/completions/tidemark',
    '_tidemark() {',
    '  local word="${COMP_WORDS[COMP_CWORD]}" words=""',
    '  if [ "$COMP_CWORD" -eq 1 ]; then',
    `    words="${first.join(' ')}"`,
    '  elif [ "$COMP_CWORD" -eq 2 ] && [[ "$word" != -* ]]; then',
    '    case "${COMP_WORDS[1]}" in',
    ...[...second].map(([group, own]) => `      ${group}) words="${own.join(' ')}" ;;`),
    '    esac',
    '  fi',
    '  if [[ "$word" == -* ]]; then',
    '    case "${COMP_WORDS[1]} ${COMP_WORDS[2]}" in',
    ...[...options]
      .filter(([name]) => name.includes(' '))
      .map(([name, own]) => `      "${name}") words="${own.join(' ')}" ;;`),
    '      *) case "${COMP_WORDS[1]}" in',
    ...[...options]
      .filter(([name]) => !name.includes(' '))
      .map(([name, own]) => `        ${name}) words="${own.join(' ')}" ;;`),
    '      esac ;;',
    '    esac',
    '  fi',
    '  [ -n "$words" ] && COMPREPLY=($(compgen -W "$words" -- "$word")) || COMPREPLY=($(compgen -f -- "$word"))',
    '}',
    'complete -F _tidemark tidemark',
  ].join('\n')

/** zsh reads the functions of bash. */
const zsh = (words: Words): string =>
  [
    '#compdef tidemark',
    'autoload -U +X bashcompinit && bashcompinit',
    bash(words).split('\n').slice(1).join('\n'),
  ].join('\n')

const fish = ({ first, second, options }: Words): string =>
  [
    '# Completion for fish: tidemark completion fish > ~/.config/fish/completions/tidemark.fish',
    `complete -c tidemark -n __fish_use_subcommand -f -a "${first.join(' ')}"`,
    ...[...second].map(
      ([group, own]) =>
        `complete -c tidemark -n "__fish_seen_subcommand_from ${group}; and not __fish_seen_subcommand_from ${own.join(' ')}" -f -a "${own.join(' ')}"`,
    ),
    ...[...options].flatMap(([name, own]) => {
      const seen = name
        .split(' ')
        .map((word) => `__fish_seen_subcommand_from ${word}`)
        .join('; and ')
      return own.map((option) => `complete -c tidemark -n "${seen}" -l ${option.slice(2)}`)
    }),
  ].join('\n')

const scripts: Readonly<Record<Shell, (words: Words) => string>> = { bash, zsh, fish }

/** The script for a shell. */
export const completionOf = (shell: Shell, commands: readonly Command[]): string => scripts[shell](wordsOf(commands))

/** `all` are the commands it completes, itself among them. */
export const completionCommand = (all: () => readonly Command[]): Command =>
  command({
    name: 'completion',
    summary: 'Print a script that completes commands and options in a shell',
    takes: {
      shell: readAs(argument('SHELL', `One of ${shells.join(', ')}`), (given, name) => {
        const shell = shells.find((one) => one === given)
        if (shell === undefined) throw new UsageError(`${name} must be one of ${shells.join(', ')}`)
        return shell
      }),
    },
    run: ({ shell }) => {
      const text = completionOf(shell, all())
      return { data: { script: text }, text }
    },
  })
