/** What anomalies of a day with one cause tell people: one message a channel. */
import { StoryPlace } from '#streams/anomaly.ts'
import { t } from '#engine/schema.ts'
import { orgWide, subject } from '#engine/subject.ts'
import { noticeRaised, NotificationEvent } from '#streams/notification.ts'
import { text } from '#streams/text.ts'

const example = noticeRaised.examples[0]!.event
const story = { kind: 'actor', place: () => orgWide } as const

/** One anomaly of a story was recorded. `event`: people are to be notified of it. */
export const storyReported = subject({
  ...story,
  name: 'story.reported',
  summary: 'One of several anomalies with one cause was recorded.',
  once: true,
  schema: t.Object({
    ...StoryPlace.properties,
    date: text(),
    row: text(),
    event: t.Union([NotificationEvent, t.Null()]),
  }),
  examples: [
    { key: 'resource/i-1', part: 0, size: 2, place: 0, date: '2026-01-15', row: 'resource|i-1', event: example },
    { key: 'resource/i-1', part: 0, size: 2, place: 1, date: '2026-01-15', row: 'org|o1', event: null },
  ],
})

/** Reminder: the story is told with what has come of it, or need not be remembered any more. */
export const storyDue = subject({
  ...story,
  name: 'story.due',
  summary: 'Anomalies with one cause are told, or forgotten.',
  schema: t.Object({ key: text() }),
  examples: [{ key: '2026-01-15|resource/i-1|0' }],
})

export const storyMessages = [storyReported, storyDue]
