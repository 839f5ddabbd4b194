/**
 * Refuses passwords that are guessed first: the most common ones of known breaches, with usual substitutions, keyboard
 * rows, repeats, years, and seasons with a number.
 */
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { Fault } from '#engine/value/fault.ts'

/**
 * Minimum number of guesses, as a power of ten, that an attack with a list of common passwords and substitutions needs.
 */
const guessesMin = 6
/** Longer passwords are judged by their first characters, because the time grows with the square of the length. */
const lookedAtMax = 40

/**
 * Words that people combine with a year, a number and a sign when they have to change a password: the season, and the
 * purpose.
 */
const seasonal =
  'tidemark spring summer autumn fall winter january february march april may june july august september october ' +
  'november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday'
/** Letters with their usual substitutes. */
const disguises: Readonly<Record<string, string>> = {
  a: '[a4@]',
  e: '[e3]',
  i: '[i1!]',
  l: '[l1]',
  o: '[o0]',
  s: '[s5$]',
}
const disguise = (word: string): string => word.replaceAll(/[aeilos]/g, (letter) => disguises[letter]!)
/** One of these words, with up to three other characters before it and eight after it that are not letters. */
const paddedWord = new RegExp(`^[^a-z]{0,3}(?:${seasonal.split(' ').map(disguise).join('|')})[^a-z]{0,8}$`, 'i')

/** Passphrases that are well-known examples, without separators. */
const examples: ReadonlySet<string> = new Set(['correcthorsebatterystaple'])
const isExample = (password: string): boolean => examples.has(password.toLowerCase().replaceAll(/[^a-z]/g, ''))

let checker: ZxcvbnFactory | undefined

/** The lists take a tenth of a second and some megabytes, so they are read on first use. */
const common = (): ZxcvbnFactory =>
  (checker ??= new ZxcvbnFactory({
    dictionary: { passwords: dictionary['passwords-common'] },
    graphs: adjacencyGraphs,
  }))

/** Whether a password, or one made of the person's own words, is among those that are guessed first. */
export const isCommon = (password: string, own: readonly string[] = []): boolean =>
  paddedWord.test(password) ||
  isExample(password) ||
  common().check(password.slice(0, lookedAtMax), ['tidemark', ...own.flatMap(words)]).guessesLog10 < guessesMin

/** An address or name, the part before the @, and its parts. */
const words = (text: string): string[] => [
  text,
  text.split('@')[0]!,
  ...text.split(/[\s@.+_-]+/).filter((part) => part.length > 2),
]

/** `field`: where the password is in the body. @throws Fault `invalid` `weak_password` */
export function checkPassword(password: string, own: readonly string[], field: string): void {
  if (!isCommon(password, own)) return
  throw Fault.invalid('weak_password', 'This password is too common. Choose another one.', {
    problems: [{ path: `/${field}`, code: 'common', message: 'is too common' }],
  })
}
