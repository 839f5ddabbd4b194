/** What has been saved on resources: by whom, and what bills prove of it. */
import { t } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { ResourceUid } from '#streams/attribution.ts'
import { actionTypes, categories } from '#streams/recommendation.ts'
import { text } from '#streams/text.ts'

/** Reminder: while a resource is off, what that has saved so far is written down. */
export const savingDue = subject({
  name: 'saving.due',
  kind: 'actor',
  summary: 'Record the savings of a stopped resource so far.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({ cloudAccountId: text({ minLength: 1, maxLength: 1024 }), resourceUid: ResourceUid }),
  examples: [{ cloudAccountId: 'acct-1', resourceUid: 'i-1' }],
})

const account = text({ minLength: 1, maxLength: 1024 })
const moment = t.String({ format: 'date-time' })

/** From a recommendation: people say that it was applied, or take that back. Of two words the later one counts. */
export const savingClaimed = subject({
  name: 'saving.claimed',
  kind: 'actor',
  summary: 'A recommendation was applied or reopened.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({
    cloudAccountId: account,
    resourceUid: ResourceUid,
    recommendationId: text({ minLength: 1, maxLength: 64 }),
    isApplied: t.Boolean(),
    at: moment,
    ruleId: text(),
    category: t.Enum(categories),
    actionType: t.Enum(actionTypes),
    provider: text(),
    region: text(),
    resourceType: text(),
    /** What it said it saves in 30 days, US dollars. */
    savingsUsd: text({ maxLength: 64 }),
    /** The size it aims at; empty where it aims at none. */
    size: text(),
    /** The workflow that carried it out; empty where none did. */
    jobId: text(),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      recommendationId: '5f0f6f0e-1e4a-5a36-9a43-0f9f2b9f6a01',
      isApplied: true,
      at: '2026-01-15T10:00:00.000Z',
      ruleId: 'RC-1101',
      category: 'rightsizing' as const,
      actionType: 'resize' as const,
      provider: 'aws',
      region: 'us-east-1',
      resourceType: 'aws-ec2',
      savingsUsd: '152.64',
      size: 'm5a.xlarge',
      jobId: '',
    },
  ],
})

/** From the job `savings`: what the bills of these days prove of who saves. `at` is the run's time: an older run says nothing. */
export const savingMeasured = subject({
  name: 'saving.measured',
  kind: 'actor',
  summary: 'The savings on a resource that bills verify.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({
    cloudAccountId: account,
    resourceUid: ResourceUid,
    at: moment,
    proofs: t.Array(
      t.Object({
        day: t.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$' }),
        source: text({ minLength: 1 }),
        sourceId: text(),
        /** US dollars; null where the bills do not prove it, for `reason`. */
        verified: t.Union([text({ maxLength: 64 }), t.Null()]),
        reason: text({ maxLength: 64 }),
      }),
      { maxItems: 5000 },
    ),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      at: '2026-03-14T05:15:00.000Z',
      proofs: [{ day: '2026-03-12', source: 'recommendation', sourceId: 'r-1', verified: '5.088', reason: '' }],
    },
  ],
})

export const savingMessages = [savingDue, savingClaimed, savingMeasured]
