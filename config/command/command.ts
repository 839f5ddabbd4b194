import type { ParseArgsConfig } from 'node:util'

export interface Invocation {
  values: Readonly<Record<string, string | boolean | string[] | undefined>>
  positionals: readonly string[]
  isJson: boolean
  /** All that was typed behind the command's name. */
  args: readonly string[]
}

export interface Result {
  /** What `--json` prints. Undefined prints nothing. */
  data?: unknown
  /** What a person reads instead. */
  text: string
  /** Exit code; 0 unless said. */
  code?: number
}

/** One command of the command line. */
export interface Command {
  /** One or two words. */
  name: string
  summary: string
  usage: string
  /** How many arguments without a name it takes; none unless said. */
  positionals?: number
  options: NonNullable<ParseArgsConfig['options']>
  /** What each argument and option means, as `--help` prints it. */
  about: Readonly<Record<string, string>>
  run: (invocation: Invocation) => Promise<Result>
}

/** What was typed is wrong, whatever the stores hold: exit code 2. */
export class UsageError extends Error {}

/** @throws UsageError saying what is missing, and the usage */
export function required(command: Pick<Command, 'usage'>, value: unknown, what: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new UsageError(`${what} is missing. Usage: ${command.usage}`)
}
