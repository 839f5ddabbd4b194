import type { ParseArgsConfig } from 'node:util'
import { defaultOrg } from './default-org.ts'

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

/** As `--help` explains the option of commands that need an organization. */
export const aboutOrg = { '--org ORG': 'Organization name or ID; default: the one set by "tidemark config set org"' }

/** The organization that was named by `--org`, or is the default. @throws UsageError where there is neither */
export function requiredOrg({ usage }: Pick<Command, 'usage'>, given: unknown): string {
  const named = given ?? defaultOrg()?.id
  if (typeof named === 'string' && named !== '') return named
  throw new UsageError(`--org is missing. Usage: ${usage}. To set a default: tidemark config set org NAME`)
}
