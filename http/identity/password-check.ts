/** Refuses passwords that are guessed first: the most common of known breaches, their usual disguises, rows of keys, repeats, years. */
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { Fault } from '#engine/fault.ts'

/** Guesses that a list of common passwords and their disguises finds it by; fewer are refused. A million, in powers of ten. */
const guessesMin = 6
/** Beyond so many characters the beginning tells. The time it takes grows with the square. */
const lookedAtMax = 40

let checker: ZxcvbnFactory | undefined

/** The lists take a tenth of a second and some megabytes: read on first use. */
const common = (): ZxcvbnFactory =>
  (checker ??= new ZxcvbnFactory({
    dictionary: { passwords: dictionary['passwords-common'] },
    graphs: adjacencyGraphs,
  }))

/** Whether a password, or one made of the person's own words, is among those that are guessed first. */
export const isCommon = (password: string, own: readonly string[] = []): boolean =>
  common().check(password.slice(0, lookedAtMax), own.flatMap(words)).guessesLog10 < guessesMin

/** An address or a name, what stands before the @, and its parts. */
const words = (text: string): string[] => [
  text,
  text.split('@')[0]!,
  ...text.split(/[\s@.+_-]+/).filter((part) => part.length > 2),
]

/** `field` is where the password stands in the body. @throws Fault `invalid` `weak_password` */
export function checkPassword(password: string, own: readonly string[], field: string): void {
  if (!isCommon(password, own)) return
  throw Fault.invalid('weak_password', 'This password is among those that are guessed first; choose another.', {
    problems: [{ path: `/${field}`, code: 'common', message: 'is among those that are guessed first' }],
  })
}
