/** When a plan raises its targets and when it puts them back. */
import { minuteMs } from '#engine/value/day.ts'

export interface EventTimes {
  eventStart: Date
  eventEnd: Date
  preScaleMinutes: number
  postEventMinutes: number
}

/** Half-open: from the moment it begins to raise to the one at which it begins to put back. */
export interface Window {
  from: Date
  to: Date
}

export const windowOf = ({ eventStart, eventEnd, preScaleMinutes, postEventMinutes }: EventTimes): Window => ({
  from: new Date(eventStart.getTime() - preScaleMinutes * minuteMs),
  to: new Date(eventEnd.getTime() + postEventMinutes * minuteMs),
})

/** One that begins when the other ends does not overlap it. */
export const overlaps = (a: Window, b: Window): boolean => a.from < b.to && b.from < a.to
