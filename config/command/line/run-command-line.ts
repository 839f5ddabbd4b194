/** The command line: finds the command that is meant and carries it out. Results go to stdout, everything else to stderr. */
import { parseArgs } from 'node:util'
import { Fault } from '#engine/value/fault.ts'
import { UsageError, type Command } from './command.ts'
import { groupHelp, help, overview } from './help.ts'
import { commands } from '#config/command/index.ts'
import { nearest } from './nearest.ts'
import { version } from '#config/process/version.ts'

const helpWords = ['help', '--help', '-h']

/** Runs what was typed after `tidemark`, and answers with its exit code: 2 where that is wrong. */
export async function runCommandLine(name: string, args: string[]): Promise<number> {
  if (helpWords.includes(name)) {
    const [about, ...rest] = args.filter((arg) => !helpWords.includes(arg))
    return about === undefined ? print(overview()) : runCommandLine(about, [...rest, '--help'])
  }
  if (['version', '--version', '-v'].includes(name)) return print(`tidemark ${version}`)
  const two = find(`${name} ${args[0] ?? ''}`)
  const command = two ?? find(name)
  if (command) return carryOut(command, two ? args.slice(1) : args)
  const group = commands.filter((one) => singular(one.name.split(' ')[0]!) === singular(name))
  const [word] = args.filter((arg) => ![...helpWords, '--json'].includes(arg))
  if (group.length > 0 && word === undefined) return print(groupHelp(group))
  process.stderr.write(`${unknownCommand(name, word, group)}\n`)
  return 2
}

/** Words are taken in the singular and in the plural, unless both are commands: `run` and `runs` of the same noun. */
function find(name: string): Command | undefined {
  const found = commands.filter((one) => singular(one.name) === singular(name))
  const verb = name.split(' ')[1]
  return found.find((one) => one.name.split(' ')[1] === verb) ?? found[0]
}

const singular = (name: string): string =>
  name
    .split(' ')
    .map((word) => word.replace(/ies$/, 'y').replace(/(?<!s)s$/, ''))
    .join(' ')

function unknownCommand(name: string, word: string | undefined, group: readonly Command[]): string {
  const isKnown = group.length > 0
  const given = [name, word].filter(Boolean).join(' ')
  const near = isKnown
    ? nearest(
        `${group[0]!.name.split(' ')[0]!} ${word!}`,
        group.map((one) => one.name),
      )
    : (nearest(
        name,
        commands.map((one) => one.name.split(' ')[0]!),
      ) ??
      nearest(
        given,
        commands.map((one) => one.name),
      ))
  const lines = [`Unknown command: ${given}`]
  if (near !== undefined) lines.push(`Did you mean "tidemark ${near}"?`)
  if (isKnown) lines.push(...group.map(({ usage }) => usage))
  else lines.push('Run "tidemark help" to see all commands.')
  return lines.join('\n')
}

async function carryOut(command: Command, args: string[]): Promise<number> {
  const isJson = args.includes('--json')
  const isCsv = args.includes('--csv')
  try {
    if (args.includes('--help') || args.includes('-h')) return print(help(command))
    const { values, positionals } = parseOptions(command, args)
    refuseMore(command, positionals)
    if (isCsv) refuseCsv(command, isJson)
    const result = await command.run({ values: values as Record<string, never>, positionals, isJson, args })
    if (isCsv) process.stdout.write(result.csv?.() ?? '')
    else if (result.data !== undefined) print(isJson ? JSON.stringify(result.data) : result.text)
    return result.code ?? 0
  } catch (error) {
    return printFailure(command, error as Error, isJson)
  }
}

function printFailure({ name }: Command, error: Error, isJson: boolean): number {
  const code = error instanceof Fault ? error.code : 'failed'
  if (isJson) print(JSON.stringify({ error: { code, message: error.message } }))
  process.stderr.write(`tidemark ${name}: ${error.message}\n`)
  if (error instanceof Fault && error.kind === 'defect') process.stderr.write(`${String(error.cause)}\n`)
  return error instanceof UsageError ? 2 : 1
}

/** @throws UsageError naming the option that is unknown, or that lacks its value or has one too many */
function parseOptions(command: Command, args: string[]) {
  const options: Command['options'] = { json: { type: 'boolean' }, csv: { type: 'boolean' }, ...command.options }
  const { tokens } = parseArgs({ args, options, allowPositionals: true, strict: false, tokens: true })
  for (const token of tokens) {
    if (token.kind !== 'option') continue
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined
    if (!option) throw new UsageError(unknownOption(command, token.rawName, Object.keys(options)))
    if (option.type === 'boolean' && token.value !== undefined) throw new UsageError(`${token.rawName} takes no value.`)
    // `--name=-x` is how a value that begins with a dash is given.
    const isMissing = token.value === undefined || (!token.inlineValue && /^-./.test(token.value))
    if (option.type === 'string' && isMissing)
      throw new UsageError(`${token.rawName} needs a value. Usage: ${command.usage}`)
  }
  return parseArgs({ args, options, allowPositionals: true })
}

function unknownOption({ name, usage }: Command, given: string, known: readonly string[]): string {
  const near = nearest(given.replace(/^-+/, ''), known)
  const hint = near === undefined ? `Run "tidemark ${name} --help" to see its options.` : `Did you mean --${near}?`
  return `Unknown option ${given}. ${hint} Usage: ${usage}`
}

/** @throws UsageError naming the first argument that is too many */
function refuseMore({ positionals: most = 0, usage }: Command, given: readonly string[]): void {
  if (given.length > most) throw new UsageError(`Unexpected argument: ${given[most]}. Usage: ${usage}`)
}

/** @throws UsageError if the command prints no table, or two formats are wanted */
function refuseCsv({ name, isTable }: Command, isJson: boolean): void {
  if (isJson) throw new UsageError('Give either --json or --csv.')
  if (!isTable) throw new UsageError(`"${name}" prints no table, so it has no --csv. Use --json.`)
}

function print(text: string): number {
  process.stdout.write(`${text}\n`)
  return 0
}
