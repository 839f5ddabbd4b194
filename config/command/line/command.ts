/** The shape of a command of the command line. */
import type { ParseArgsConfig } from 'node:util'

export interface Invocation {
  values: Readonly<Record<string, string | boolean | string[] | undefined>>
  positionals: readonly string[]
  isJson: boolean
  /** Everything typed after the command's name. */
  args: readonly string[]
}

export interface Result {
  /** Output for `--json`. Undefined prints nothing. */
  data?: unknown
  /** Output for people. */
  text: string
  /** The table of `text` as CSV, if it is one. */
  csv?: () => string
  /** Exit code; default 0. */
  code?: number
}

/** One command of the command line. */
export interface Command {
  /** One or two words. */
  name: string
  summary: string
  usage: string
  /** Prints a table, which can be had as CSV. */
  isTable?: boolean
  /** Number of positional arguments; default none. */
  positionals?: number
  options: NonNullable<ParseArgsConfig['options']>
  /** What each argument and option means, as `--help` prints it. */
  about: Readonly<Record<string, string>>
  run: (invocation: Invocation) => Promise<Result>
}

/** The input is wrong, whatever the stores contain: exit code 2. */
export class UsageError extends Error {}

/** @throws UsageError naming what is missing, with the usage */
export function requireValue(value: unknown, name: string, usage: string): string {
  if (typeof value === 'string' && value !== '') return value
  throw new UsageError(`${name} is missing. Usage: ${usage}`)
}
