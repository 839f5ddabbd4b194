/** The command line: finds the command that is meant and carries it out. Results go to stdout, everything else to stderr. */
import { parseArgs, type ParseArgsConfig } from 'node:util'
import { Fault } from '#engine/fault.ts'
import { UsageError, type Command } from '#config/command/command.ts'
import { commands } from '#config/command/index.ts'
import { version } from '#config/version.ts'

/** The exit code of what was typed behind `tidemark`: 2 where that is wrong. */
export async function typed(name: string, args: string[]): Promise<number> {
  if (['help', '--help', '-h'].includes(name)) return print(overview())
  if (['version', '--version', '-v'].includes(name)) return print(`tidemark ${version}`)
  const two = commands.find((c) => c.name === `${name} ${args[0] ?? ''}`)
  const command = two ?? commands.find((c) => c.name === name)
  if (command) return carryOut(command, two ? args.slice(1) : args)
  const group = commands.filter((c) => c.name.startsWith(`${name} `))
  const [word] = args.filter((arg) => !['help', '--help', '-h', '--json'].includes(arg))
  if (group.length > 0 && word === undefined) return print(overview(group))
  const near = group.map((c) => c.usage).join('\n') || overview()
  process.stderr.write(`No such command: ${[name, word].filter(Boolean).join(' ')}\n${near}\n`)
  return 2
}

async function carryOut(command: Command, args: string[]): Promise<number> {
  const isJson = args.includes('--json')
  try {
    if (args.includes('--help') || args.includes('-h')) return print(help(command))
    const options: ParseArgsConfig['options'] = { json: { type: 'boolean' }, ...command.options }
    const { values, positionals } = parsed(args, options)
    refuseMore(command, positionals)
    const result = await command.run({ values: values as Record<string, never>, positionals, isJson, args })
    if (result.data !== undefined) print(isJson ? JSON.stringify(result.data) : result.text)
    return result.code ?? 0
  } catch (error) {
    const fault = error as Error
    const code = error instanceof Fault ? error.code : 'failed'
    if (isJson) print(JSON.stringify({ error: { code, message: fault.message } }))
    process.stderr.write(`tidemark ${command.name}: ${fault.message}\n`)
    if (error instanceof Fault && error.kind === 'defect') process.stderr.write(`${String(error.cause)}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

/** @throws UsageError naming the option that is none, or lacks its value */
function parsed(args: string[], options: NonNullable<ParseArgsConfig['options']>) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    throw new UsageError((error as Error).message, { cause: error })
  }
}

/** @throws UsageError naming the first argument that is too many */
function refuseMore({ positionals: most = 0, usage }: Command, given: readonly string[]): void {
  if (given.length > most) throw new UsageError(`This argument is too many: ${given[most]}. Usage: ${usage}`)
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}

function overview(some: readonly Command[] = commands): string {
  return [
    'Usage: tidemark <command> [options]',
    '',
    ...some.map((c) => `  ${c.name.padEnd(20)} ${c.summary}`),
    '',
    'tidemark <command> --help tells more.',
  ].join('\n')
}

function help(c: Command): string {
  return [
    c.summary,
    '',
    `Usage: ${c.usage}`,
    '',
    ...Object.entries(c.about).map(([name, text]) => `  ${name.padEnd(28)} ${text}`),
    `  ${'--json'.padEnd(28)} One JSON object on stdout, log lines on stderr`,
  ].join('\n')
}
