/**
 * Between what a day, or a sum of days, will come to in four of five cases: empirical quantiles of the errors of the rolling-origin test
 * over as many days ahead. Bands are made for every origin of the test by what was known then, so that it is seen how often they held;
 * the quantiles of the next one are taken further out after each that did not hold, and further in after each that did, so that at least
 * four of five hold in the long run whatever the series does (adaptive conformal inference: Gibbs and Candès 2021).
 */
import type { Trial } from './trial.ts'

/**
 * Part of the cases that a band leaves out, half of them on either side. It is less than a fifth: after a step that nobody could foresee all
 * bands of some weeks fail, and four of five are to hold with these.
 */
const targetMissRate = 0.15
/** How far one band moves the part that is left out of the next, and between what it stays. */
const step = 0.05
const [outMin, outMax] = [0.01, 0.6] as const
/** Errors that do not overlap which a band needs: of fewer, less than one lies on each side of four fifths of them. */
const errorsMin = 9

/** `tested`: of errors over as many days ahead; `widened`: of errors over fewer, for want of history; `untested`: there is none. */
export const bases = ['tested', 'widened', 'untested'] as const

export interface Band {
  /** US dollars beside what is expected, 0 or less and 0 or more. */
  low: number
  high: number
  basis: (typeof bases)[number]
  /** Bands like this one that were made in the test, and how many of them held. */
  made: number
  held: number
}

/** Days ahead of the origin, both included; one day, or a sum. */
export interface Ahead {
  from: number
  to: number
}

/** Errors over the same days ahead as far as they are known, ascending. */
interface Errors extends Ahead {
  sorted: number[]
}

interface TrackedBand extends Ahead {
  own: Errors
  out: number
  /** By origin: 1 where the band did not hold, 0 where it did. */
  missed: Map<number, number>
  made: number
  held: number
}

/** A band for each of `wanted`. */
export function bandsOf(trial: Trial, wanted: readonly Ahead[]): Band[] {
  const { first, last } = trial
  const all: Errors[] = []
  const watched = wanted.map(({ from, to }): TrackedBand => {
    const known = all.find((one) => one.from === from && one.to === to)
    const own = known ?? { from, to, sorted: [] }
    if (!known) all.push(own)
    return { from, to, own, out: targetMissRate, missed: new Map(), made: 0, held: 0 }
  })
  const [day, sum] = [new Fallback(trial, true), new Fallback(trial, false)]
  const fallback = ({ from, to, own }: TrackedBand): Errors | undefined =>
    isTested(own) ? undefined : (from === to ? day : sum).errors
  for (let now = first; now <= last; now++) {
    for (const one of all) learn(one, trial, now)
    if (watched.some(({ own, from, to }) => from === to && !isTested(own))) day.learn(now)
    if (watched.some(({ own, from, to }) => from !== to && !isTested(own))) sum.learn(now)
    for (const one of watched) judge(one, trial, now, fallback(one))
  }
  return watched.map((one) => {
    const { low, high, basis } = rangeOf(one, fallback(one))
    return { low: low * trial.size, high: high * trial.size, basis, made: one.made, held: one.held }
  })
}

const isTested = ({ to, sorted }: Errors): boolean => sorted.length >= errorsMin * to

/** The errors over the longest time that has enough of them so far, of one day or of a sum from the first day on. */
class Fallback {
  errors: Errors | undefined
  private readonly trial: Trial
  private readonly isOneDay: boolean

  constructor(trial: Trial, isOneDay: boolean) {
    this.trial = trial
    this.isOneDay = isOneDay
  }

  learn(now: number): void {
    if (this.errors) learn(this.errors, this.trial, now)
    const to = (this.errors?.to ?? 0) + 1
    if (now - this.trial.first - to + 1 < errorsMin * to) return
    const longer: Errors = { from: this.isOneDay ? to : 1, to, sorted: [] }
    for (let at = this.trial.first + to; at <= now; at++) learn(longer, this.trial, at)
    if (isTested(longer)) this.errors = longer
  }
}

/** Takes in the error that is known since the day `now`. */
function learn({ from, to, sorted }: Errors, { first, error }: Trial, now: number): void {
  if (now - to < first) return
  const value = error(now - to, from, to)
  if (Number.isNaN(value)) return
  let [begin, end] = [0, sorted.length]
  while (begin < end) {
    const middle = (begin + end) >> 1
    if (sorted[middle]! < value) begin = middle + 1
    else end = middle
  }
  sorted.splice(begin, 0, value)
}

/** Hears what became of the band whose days are over, then makes the one of `now`. */
function judge(one: TrackedBand, { error }: Trial, now: number, fallback: Errors | undefined): void {
  const missed = one.missed.get(now - one.to)
  if (missed !== undefined) {
    one.made++
    one.held += 1 - missed
    one.out = Math.min(outMax, Math.max(outMin, one.out + step * (targetMissRate - missed)))
  }
  const { low, high, basis } = rangeOf(one, fallback)
  const off = error(now, one.from, one.to)
  if (basis !== 'untested' && !Number.isNaN(off)) one.missed.set(now, off < low || off > high ? 1 : 0)
}

type Range = Pick<Band, 'low' | 'high' | 'basis'>

/**
 * Errors of origins side by side are of the same days, so that what counts is how many do not overlap. Where they are too few, those
 * over the longest time that has enough of them are taken as if all of it would be off by as much a day, and by the square root of the
 * time more, which is how a level strays that nothing holds; what is known of the time itself counts where it is worse.
 */
function rangeOf({ from, to, own, out }: TrackedBand, known: Errors | undefined): Range {
  if (isTested(own)) return { ...between(own, out), basis: 'tested' }
  if (!known) return { low: 0, high: 0, basis: 'untested' }
  const factor = (lengthOf({ from, to }) / lengthOf(known)) * Math.sqrt(to / known.to)
  const [wide, seen] = [between(known, out), between(own, out)]
  return {
    low: Math.min(wide.low * factor, seen.low),
    high: Math.max(wide.high * factor, seen.high),
    basis: 'widened',
  }
}

const lengthOf = ({ from, to }: Ahead): number => to - from + 1

/** The errors that leave half of `out` on either side; what is expected lies between them. */
function between({ sorted }: Errors, out: number): { low: number; high: number } {
  const beyond = Math.max(1, Math.floor(((sorted.length + 1) * out) / 2))
  return { low: Math.min(0, sorted[beyond - 1] ?? 0), high: Math.max(0, sorted[sorted.length - beyond] ?? 0) }
}
