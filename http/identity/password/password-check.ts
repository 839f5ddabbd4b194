/** Refuses passwords that are guessed first: the most common of known breaches, their usual disguises, rows of keys, repeats, years, seasons with a number. */
import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { adjacencyGraphs, dictionary } from '@zxcvbn-ts/language-common'
import { Fault } from '#engine/value/fault.ts'

/** Guesses that a list of common passwords and their disguises finds it by; fewer are refused. A million, in powers of ten. */
const guessesMin = 6
/** Beyond so many characters the beginning tells. The time it takes grows with the square. */
const lookedAtMax = 40

/** What a year, a number and a sign are put to when a password has to be changed: the time of the year, and what it is for. */
const seasonal =
  'tidemark spring summer autumn fall winter january february march april may june july august september october ' +
  'november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday thursday friday saturday sunday'
/** Letters and what is written for them. */
const disguises: Readonly<Record<string, string>> = {
  a: '[a4@]',
  e: '[e3]',
  i: '[i1!]',
  l: '[l1]',
  o: '[o0]',
  s: '[s5$]',
}
const disguise = (word: string): string => word.replaceAll(/[aeilos]/g, (letter) => disguises[letter]!)
/** One of them, with up to three characters before and eight after that are no letters. */
const paddedWord = new RegExp(`^[^a-z]{0,3}(?:${seasonal.split(' ').map(disguise).join('|')})[^a-z]{0,8}$`, 'i')

/** Passphrases that are examples of one everywhere, their letters. */
const examples: ReadonlySet<string> = new Set(['correcthorsebatterystaple'])
const isExample = (password: string): boolean => examples.has(password.toLowerCase().replaceAll(/[^a-z]/g, ''))

let checker: ZxcvbnFactory | undefined

/** The lists take a tenth of a second and some megabytes: read on first use. */
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

/** An address or a name, what stands before the @, and its parts. */
const words = (text: string): string[] => [
  text,
  text.split('@')[0]!,
  ...text.split(/[\s@.+_-]+/).filter((part) => part.length > 2),
]

/** `field` is where the password stands in the body. @throws Fault `invalid` `weak_password` */
export function checkPassword(password: string, own: readonly string[], field: string): void {
  if (!isCommon(password, own)) return
  throw Fault.invalid('weak_password', 'This password is too common. Choose another one.', {
    problems: [{ path: `/${field}`, code: 'common', message: 'is too common' }],
  })
}
