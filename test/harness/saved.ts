/** Words and rows of savings as tests need them: of one machine, where they say nothing else. */
import type { Claim } from '#actors/saving/claim.ts'
import type { Static } from '#engine/value/schema.ts'
import type { ActionRecord, PowerAction } from '#streams/action/messages.ts'
import type { savingClaimed } from '#streams/saving.ts'

const machine = { cloudAccountId: 'acct-1', resourceUid: 'i-1' }
const kind = { provider: 'aws', region: 'us-east-1', resourceType: 'aws-ec2' } as const

/** An action that succeeded at `at`, by a schedule unless `more` says otherwise. */
export const powered = (action: PowerAction, at: string, more: Partial<ActionRecord> = {}): ActionRecord => ({
  ...machine,
  ...kind,
  actionId: `${action}-${at}`,
  action,
  reason: null,
  status: 'succeeded',
  errorMessage: null,
  source: { type: 'schedule', id: 's-1', name: 'Night', eventId: 'e-1' },
  attempt: 1,
  nextAttemptAt: null,
  createdAt: at,
  startedAt: at,
  endedAt: at,
  revision: 3,
  ...more,
})

type Word = Static<typeof savingClaimed.schema>

/** A recommendation to stop it, of 12 dollars in 30 days, that was applied at `at`. */
export const appliedAt = (at: string, more: Partial<Word> = {}): Word => ({
  ...machine,
  ...kind,
  recommendationId: 'r-1',
  isApplied: true,
  at,
  ruleId: 'RC-1001',
  category: 'idle',
  actionType: 'stop',
  savingsUsd: '12.00',
  size: '',
  jobId: '',
  ...more,
})

/** Of a schedule that goes on, begun at `from`. */
export const claimOf = (id: string, from: string, more: Partial<Claim> = {}): Claim => ({
  ...kind,
  id,
  kind: 'usage',
  source: 'schedule',
  sourceId: id,
  ruleId: '',
  category: '',
  isCycle: true,
  from,
  until: null,
  why: '',
  notBefore: '',
  perDay: null,
  appliedAt: '',
  jobId: '',
  others: [],
  seenFrom: null,
  rate: null,
  size: '',
  was: '',
  ...more,
})
