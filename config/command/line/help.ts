/** What `--help` prints: all commands by task, those of one group, and one command. */
import type { Command } from './command.ts'
import { commands } from '#config/command/index.ts'
import { topics } from './topic.ts'

const groupOf = ({ name }: Command): string => name.split(' ')[0]!

export function overview(): string {
  const named = new Set(topics.flatMap(({ groups }) => groups))
  const others = [...new Set(commands.map(groupOf))].filter((group) => !named.has(group))
  const all = others.length > 0 ? [...topics, { title: 'Other', groups: others }] : topics
  return [
    'Usage: tidemark <command> [options]',
    ...all.flatMap(({ title, groups }) => ['', title, ...groupLines(groups)]),
    '',
    'Run "tidemark <command> --help" for details. Every command takes --json; those that print a table, --csv.',
    'Commands can call a Tidemark elsewhere: tidemark profile add NAME --url URL',
    'Give --org by name or ID, or set a default: tidemark config set org NAME',
  ].join('\n')
}

/** A line for each group; groups with the same commands share one. */
function groupLines(groups: readonly string[]): string[] {
  const lines = new Map<string, string>()
  for (const group of groups) {
    const own = commands.filter((one) => groupOf(one) === group)
    if (own.length === 0) continue
    // A command may have the name of its group, as `backup` and `backup verify`.
    if (own.some(({ name }) => name === group)) {
      for (const { name, summary } of own) lines.set(summary, name)
      continue
    }
    const [left, right] =
      own.length === 1
        ? [own[0]!.name, own[0]!.summary]
        : [group, own.map(({ name }) => name.slice(group.length + 1)).join(', ')]
    const shared = lines.get(right)
    lines.set(right, shared === undefined ? left : `${shared}|${left}`)
  }
  return [...lines].map(([right, left]) => `  ${left.padEnd(nameWidth)} ${right}`)
}

const nameWidth = 20

export const groupHelp = (group: readonly Command[]): string =>
  [
    'Usage: tidemark <command> [options]',
    '',
    ...group.map(({ name, summary }) => `  ${name.padEnd(nameWidth)} ${summary}`),
    '',
    'Run "tidemark <command> --help" for details.',
  ].join('\n')

export function help(command: Command): string {
  return [
    command.summary,
    '',
    `Usage: ${command.usage}`,
    '',
    ...Object.entries(command.about).map(([name, text]) => `  ${name.padEnd(28)} ${text}`),
    ...(command.isTable ? [`  ${'--csv'.padEnd(28)} Print the table as CSV`] : []),
    `  ${'--json'.padEnd(28)} Print JSON to stdout: an array for lists, an object otherwise; log lines go to stderr`,
  ].join('\n')
}
