/** What commands take: arguments and flags, each declared once. Usage, `--help`, what a value is and how a wrong one is refused follow from it. */
import { currentProfile } from '#config/settings/profile.ts'
import { defaultOrg } from './default-org.ts'
import { requireValue, UsageError } from './command.ts'

export interface Flag<T> {
  /** Stands for the value in the usage; a flag without one is given or not. */
  value?: string
  about: string
  /** Typed by its place, without a name. */
  isArgument?: true
  isNeeded?: true
  isRepeated?: true
  /** `name` is what refusals call it. @throws UsageError */
  read: (given: string | boolean | string[] | undefined, name: string, usage: string) => T
}

/** Everything a command takes, by name, in the order of its help. Arguments come first. */
export type Flags = Readonly<Record<string, Flag<unknown>>>

/** What was typed, by the names of what a command takes. */
export type FlagValues<F> = { readonly [Name in keyof F]: F[Name] extends Flag<infer T> ? T : never }

const readText = (given: unknown): string | undefined => (typeof given === 'string' ? given : undefined)

export const requiredText = (value: string, about: string): Flag<string> => ({
  value,
  about,
  isNeeded: true,
  read: requireValue,
})

export const optional = (value: string, about: string): Flag<string | undefined> => ({ value, about, read: readText })

export const argument = (value: string, about: string): Flag<string> => ({
  ...requiredText(value, about),
  isArgument: true,
})

export const optionalArgument = (value: string, about: string): Flag<string | undefined> => ({
  ...optional(value, about),
  isArgument: true,
})

/** One that is made of what another reads. */
export const readAs = <A, B>(flag: Flag<A>, make: (value: A, name: string, usage: string) => B): Flag<B> => ({
  ...flag,
  read: (given, name, usage) => make(flag.read(given, name, usage), name, usage),
})

/** A flag without a value. */
export const toggle = (about: string): Flag<boolean> => ({ about, read: (given) => given === true })

export const textList = (value: string, about: string): Flag<string[]> => ({
  value,
  about,
  isRepeated: true,
  read: (given) => (Array.isArray(given) ? given : []),
})

/** All arguments that are left. */
export const argumentList = (value: string, about: string): Flag<string[]> => ({
  ...textList(value, about),
  isArgument: true,
})

/** One of `words`. `more` is said after them. */
export const choice = <const W extends string>(value: string, words: readonly W[], more = ''): Flag<W | undefined> => ({
  value,
  about: `One of ${words.join(', ')}${more}`,
  read(given, name) {
    if (given === undefined) return undefined
    const word = words.find((one) => one === given)
    if (word === undefined) throw new UsageError(`${name} must be one of ${words.join(', ')}`)
    return word
  },
})

/** The same for a choice that has a default. */
export const choiceOr = <const W extends string>(
  value: string,
  words: readonly W[],
  usual: W,
  about: string,
): Flag<W> => ({
  value,
  about,
  read: (given, name, usage) => choice(value, words).read(given, name, usage) ?? usual,
})

/** A whole number from `min` to `max`. */
export const count = (about: string, max: number, usual: number, min = 1): Flag<number> => ({
  value: 'N',
  about: `${about}, ${min} to ${max}; default ${usual}`,
  read(given, name) {
    const number = given === undefined ? usual : Number(given)
    if (Number.isInteger(number) && number >= min && number <= max) return number
    throw new UsageError(`${name} must be a whole number from ${min} to ${max}`)
  },
})

export const limit = (max = 100, usual = 20): Flag<number> => count('Maximum number of rows', max, usual)

export const page: Flag<number> = {
  value: 'N',
  about: 'Page number, starting at 1',
  read(given, name) {
    const number = Number(given ?? 1)
    if (Number.isInteger(number) && number >= 1) return number
    throw new UsageError(`${name} must be a whole number of 1 or more`)
  },
}

/** The organization, by name or ID. */
export const org: Flag<string> = {
  value: 'ORG',
  about: 'Organization name or ID; default: the one set by "tidemark config set org"',
  isNeeded: true,
  read(given, name, usage) {
    if (typeof given === 'string' && given !== '') return given
    // A token has an organization of its own.
    if (currentProfile()) return ''
    const usual = defaultOrg()?.id
    if (usual !== undefined) return usual
    throw new UsageError(`${name} is missing. Usage: ${usage}. To set a default: tidemark config set org NAME`)
  },
}

/** Narrows a list to an organization. */
export const onlyOrg = optional('ORG', 'Only for this organization (name or ID)')

/** `--id ID` of something that `list` names. */
export const id = (noun: string, list: string): Flag<string> => requiredText('ID', `${noun} ID from "${list}"`)

/** ` FILE --org ORG [--limit N]`. */
export const usageOf = (takes: Flags): string =>
  Object.entries(takes)
    .map(([name, { value, isArgument, isNeeded, isRepeated }]) => {
      const words = isArgument ? value! : [`--${name}`, value].filter((word) => word !== undefined).join(' ')
      return ` ${isNeeded ? words : `[${words}]`}${isRepeated ? '...' : ''}`
    })
    .join('')

/** What `--help` prints of each. */
export const aboutOf = (takes: Flags): Record<string, string> =>
  Object.fromEntries(
    Object.entries(takes).map(([name, { value, about, isArgument }]) => [
      isArgument ? value! : [`--${name}`, value].filter((word) => word !== undefined).join(' '),
      about,
    ]),
  )
