import { ResourceUid, resourcesMax } from '#streams/attribution.ts'
import { t } from '#engine/schema.ts'
import { orgWide, subject } from '#engine/subject.ts'
import { text } from '#streams/text.ts'

export const scheduleActions = ['start', 'stop'] as const
export const scheduleStatuses = ['triggered', 'completed', 'partial', 'failed', 'missed'] as const

const moment = t.String({ format: 'date-time' })

/**
 * What a schedule did to resources, on its way to the analysts' table; the edge has stored it already. `at` rises with every
 * change of an event, so that the latest wins. An empty `status` takes the resources off the event.
 */
export const schedulerEventRecorded = subject({
  name: 'scheduler_event.recorded',
  kind: 'actor',
  summary: 'What a schedule did was written down.',
  place: () => orgWide,
  once: true,
  schema: t.Object({
    eventId: text({ minLength: 1 }),
    scheduleId: text({ minLength: 1 }),
    action: t.Enum(scheduleActions),
    status: t.Enum([...scheduleStatuses, '']),
    triggeredAt: moment,
    resourceUids: t.Array(ResourceUid, { maxItems: resourcesMax }),
    at: moment,
  }),
  examples: [
    {
      eventId: '9f4f1c1e-0f0a-8c1a-9d52-3f6f0f6f0a01',
      scheduleId: '0d4f1c1e-0f0a-4c1a-9d52-3f6f0f6f0a02',
      action: 'stop',
      status: 'completed',
      triggeredAt: '2026-01-15T20:00:00.000Z',
      resourceUids: ['i-1', 'i-2'],
      at: '2026-01-15T20:00:04.000Z',
    },
  ],
})

export const scheduleMessages = [schedulerEventRecorded]
