/** When a plan scales its targets up and when it restores them. */
import { minuteMs } from '#engine/value/day.ts'

export interface EventTimes {
  eventStart: Date
  eventEnd: Date
  preScaleMinutes: number
  postEventMinutes: number
}

/** Half-open: from the start of scaling up to the start of restoring. */
export interface Window {
  from: Date
  to: Date
}

export const windowOf = ({ eventStart, eventEnd, preScaleMinutes, postEventMinutes }: EventTimes): Window => ({
  from: new Date(eventStart.getTime() - preScaleMinutes * minuteMs),
  to: new Date(eventEnd.getTime() + postEventMinutes * minuteMs),
})

/** A window that begins when the other ends does not overlap it. */
export const overlaps = (a: Window, b: Window): boolean => a.from < b.to && b.from < a.to
