import type { Static } from '#engine/value/schema.ts'
import { defineActor } from '#engine/actor/actor.ts'
import { dayMs } from '#engine/value/day.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { noticeRaised, storyDue, storyReported, type NotificationEvent } from '#streams/notification/messages.ts'
import { AnomalyStory } from './entity.ts'

/** Milliseconds to wait for anomalies that have not reported; they arrive within seconds of each other. */
const waitMs = 60_000
/**
 * Milliseconds for which a notice is remembered: the run of the next day may find more anomalies with the same cause.
 */
const rememberedMs = 2 * dayMs

type StoryReport = Static<typeof storyReported.schema>

/**
 * Collects the anomalies of a day with one cause, each of which reports whether people are to be notified of it, and
 * raises one notice.
 */
export const storyActor = defineActor({
  kind: 'story',
  entity: AnomalyStory,
  address: { orgId: 'orgId', key: 'key' },
  initial: () => ({ rows: [], told: [] }),
  reactions: (on) => [
    on(storyReported, storyKey, (story, { row, place, event, size }, turn) => {
      story.rows = [...story.rows.filter((one) => one.row !== row), { row, place, event }]
      if (story.rows.length < size) remind(story, waitMs, turn)
      else raiseTogether(story, turn)
    }),
    on(
      storyDue,
      ({ key }) => key,
      (story, _, turn) => {
        if (story.rows.length === 0) turn.remove()
        else raiseTogether(story, turn)
      },
      { existing: true },
    ),
  ],
})

/** The parts of an event that say whom it was for and how severe it was. */
function brief({ data, ...event }: NotificationEvent): NotificationEvent {
  const { cloudAccountID, actualCostUsd, expectedCostUsd } = data
  const account = cloudAccountID === undefined ? {} : { cloudAccountID }
  return { ...event, summary: '', data: { ...account, actualCostUsd, expectedCostUsd } }
}

function storyKey({ date, key, part }: Pick<StoryReport, 'date' | 'key' | 'part'>): string {
  return `${date}|${part}|${key}`
}

function remind({ key }: AnomalyStory, inMs: number, turn: Turn): void {
  turn.remind('due', new Date(turn.now.getTime() + inMs), storyDue, { key })
}

function raiseTogether(story: AnomalyStory, turn: Turn): void {
  const events = story.rows.toSorted((a, b) => a.place - b.place).flatMap(({ event }) => event ?? [])
  const [event, ...folded] = events
  if (event) turn.emit(noticeRaised, { event, folded, before: story.told })
  story.rows = []
  story.told = [...story.told, ...events.map(brief)]
  if (story.told.length > 0) return remind(story, rememberedMs, turn)
  turn.forget('due')
  turn.remove()
}
