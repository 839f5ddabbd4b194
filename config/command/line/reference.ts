/** `docs/commands.md`: every command as its `--help` tells it. `npm run generate` writes it. */
import { commands } from '#config/command/index.ts'
import type { Command } from './command.ts'

/** Commands that the product runs by itself. */
const internal = new Set(['lane-process'])

export function commandReference(): string {
  const shown = commands.filter(({ name }) => !internal.has(name))
  const groups = Map.groupBy(shown, ({ name }) => name.split(' ')[0]!)
  const sections = [...groups].map(([group, own]) => [`## ${group}`, '', ...own.flatMap(commandSection)].join('\n'))
  return `${[...header, ...sections].join('\n')}`
}

const header = [
  '# Commands',
  '',
  'Every command of `npm run -s tidemark -- COMMAND`. Each takes `--help`, and `--json` for one JSON value on standard output; log lines go to standard error.',
  'A command exits with 0, with 1 if it failed, and with 2 if it was mistyped. It works on the product that runs on `TIDEMARK_DATA_DIR`.',
  'This page is generated from `config/command` by `npm run generate`.',
  '',
]

function commandSection({ name, summary, usage, about }: Command): string[] {
  const options = Object.entries(about).map(
    ([option, text]) => `| \`${option.replaceAll('|', '\\|')}\` | ${text.replaceAll('|', '\\|')} |`,
  )
  const table = options.length === 0 ? [] : ['| argument | what it means |', '|---|---|', ...options, '']
  if (name === 'start')
    return [
      '**Run the product.**',
      '',
      '```text',
      usage,
      '```',
      '',
      'Its settings are environment variables: [configure](configure.md#settings).',
      '',
    ]
  return [`**${name}**: ${summary}.`, '', '```text', usage, '```', '', ...table]
}
