/** Intervals of which usage is told. */

/** Begins at a whole second and ends in the hour it begins in. */
export interface Interval {
  from: Date
  seconds: number
}

/** Of what is told of now. */
export const tellSeconds = 300

/** The five minutes that ended last: they begin at multiples of five minutes, so that no two overlap, whoever asks when. */
export function intervalBefore(at: Date): Interval {
  const stepMs = tellSeconds * 1000
  const to = Math.floor(at.getTime() / stepMs) * stepMs
  return { from: new Date(to - stepMs), seconds: tellSeconds }
}

/** Whole seconds of the interval between two moments (milliseconds since 1970). */
export function secondsIn({ from, seconds }: Interval, since: number, until = Infinity): number {
  const begin = from.getTime()
  return Math.round(Math.max(0, Math.min(until, begin + seconds * 1000) - Math.max(since, begin)) / 1000)
}

/** As messages say it: nothing where it is the whole interval. */
export const part = ({ seconds: all }: Interval, seconds: number): { seconds?: number } =>
  seconds >= all ? {} : { seconds }
