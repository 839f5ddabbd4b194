/** Intervals for which usage is reported. */

/** Begins at a whole second and ends within the same hour. */
export interface Interval {
  from: Date
  seconds: number
}

/** Length of intervals with current usage, in seconds. */
export const tellSeconds = 300

/** The last complete five minutes. They begin at multiples of five minutes, so intervals never overlap. */
export function intervalBefore(at: Date): Interval {
  const stepMs = tellSeconds * 1000
  const to = Math.floor(at.getTime() / stepMs) * stepMs
  return { from: new Date(to - stepMs), seconds: tellSeconds }
}

/** Whole seconds of the interval between two times (milliseconds since 1970). */
export function secondsIn({ from, seconds }: Interval, since: number, until = Infinity): number {
  const begin = from.getTime()
  return Math.round(Math.max(0, Math.min(until, begin + seconds * 1000) - Math.max(since, begin)) / 1000)
}

/** For messages: left out if it is the whole interval. */
export const part = ({ seconds: all }: Interval, seconds: number): { seconds?: number } =>
  seconds >= all ? {} : { seconds }
