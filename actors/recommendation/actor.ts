/** The recommendation actor: opens, closes and reopens with its rule, and takes people's decisions. */
import { defineActor } from '#engine/actor/actor.ts'
import { Fault } from '#engine/value/fault.ts'
import { sameData } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { dayMs } from '#engine/value/day.ts'
import {
  findingEnded,
  findingRaised,
  recommendationDecided,
  recommendationSettled,
  recommendationViewed,
  recommendationWoken,
  severityRank,
  type Finding,
  type RecommendationStatus,
} from '#streams/recommendation.ts'
import { workflowTold } from '#streams/workflow.ts'
import { Recommendation } from './entity.ts'
import { viewersMax, note } from '#actors/recommendation/follow-up/history.ts'
import { claim } from '#actors/recommendation/follow-up/claim.ts'
import { show } from '#actors/recommendation/follow-up/show.ts'
import { closeWorkflow, heardOf, leaveWorkflow } from '#actors/recommendation/follow-up/workflow.ts'

type FindingEnd = Static<typeof findingEnded.schema>
type RecommendationDecision = Static<typeof recommendationDecided.schema>

const ofRecommendation = ({ recommendationId }: { recommendationId: string }): string => recommendationId

/**
 * How long people have to make the change after setting it to applied, before the record shows that the rule still
 * matches.
 */
const appliedMs = 14 * dayMs

/**
 * One finding and people's decisions about it. It opens, closes and reopens with the rule; all other changes are up to
 * people.
 */
export const recommendationActor = defineActor({
  kind: 'recommendation',
  entity: Recommendation,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'id' },
  initial: () => ({
    ...figuresOf(nothingFound),
    status: 'open' as const,
    stillFires: false,
    fires: false,
    staleSince: null,
    generatedAt: new Date(0),
    updatedAt: new Date(0),
    decidedAt: null,
    decidedBy: '',
    snoozedUntil: null,
    history: [],
    viewers: [],
    job: null,
    foundN: 0,
    settledN: 0,
  }),
  reactions: (on) => [
    on(findingRaised, ofRecommendation, (row, { n, finding }, turn) => {
      if (n <= row.foundN) return
      row.foundN = n
      raise(row, finding, turn)
    }),
    on(
      findingEnded,
      ofRecommendation,
      (row, ended, turn) => {
        if (ended.n <= row.foundN) return
        row.foundN = ended.n
        end(row, ended, turn)
      },
      { existing: true },
    ),
    on(recommendationDecided, ofRecommendation, decide),
    on(
      recommendationViewed,
      ofRecommendation,
      (row, { userId }, turn) => {
        turn.reply(null)
        if (row.viewers.includes(userId)) return
        row.viewers = [...row.viewers, userId].slice(-viewersMax)
        note(row, 'viewed', turn, userId)
      },
      { existing: true },
    ),
    on(workflowTold, ofRecommendation, hear, { existing: true }),
    on(recommendationWoken, ofRecommendation, (row, _, turn) => wake(row, turn), { existing: true }),
  ],
})

const nothingFound: Finding = {
  resourceUid: '',
  resourceName: '',
  resourceType: '',
  provider: '',
  region: '',
  resourceGroup: '',
  ruleId: '',
  category: 'idle',
  severity: 'info',
  title: '',
  titleFrom: '',
  titleTo: '',
  description: '',
  remediation: '',
  consoleUrl: '',
  actionType: 'none',
  effect: 'none',
  destructive: false,
  automation: 'manual',
  currentCostUsd: 0,
  savingsUsd: 0,
  grossSavingsUsd: 0,
  confidence: 1,
  priority: 0,
  evidence: {},
  specs: {},
  targetSpec: null,
  tierRates: null,
  resourceTags: {},
  heldBackBy: '',
}

/** The columns that a finding sets. Money is text. */
const figuresOf = ({ currentCostUsd, savingsUsd, grossSavingsUsd, ...finding }: Finding) => ({
  ...finding,
  severityRank: severityRank(finding.severity),
  currentCostUsd: currentCostUsd.toFixed(2),
  savingsUsd: savingsUsd.toFixed(2),
  grossSavingsUsd: grossSavingsUsd.toFixed(2),
})

const copyOf = (row: Recommendation): object => Object.assign({}, row)

/** Changed in more than the number of the last message. */
const isChanged = (row: Recommendation, before: object): boolean =>
  !sameData(Object.assign(copyOf(row), { foundN: 0 }), Object.assign(before, { foundN: 0 }))

function raise(row: Recommendation, finding: Finding, turn: Turn): void {
  const isNew = row.generatedAt.getTime() === 0
  const { status } = row
  const before = copyOf(row)
  Object.assign(row, figuresOf(finding), { fires: true, staleSince: null })
  if (isNew) {
    row.generatedAt = turn.now
    note(row, 'generated', turn)
  } else if (row.status === 'optimised' || row.status === 'rule_retired' || isAwake(row, turn)) {
    reopen(row, turn)
  }
  if (isChanged(row, before)) recordChange(row, status, turn)
}

/** A temporary dismissal that has ended. */
const isAwake = ({ status, snoozedUntil }: Recommendation, turn: Turn): boolean =>
  status === 'dismissed' && !!snoozedUntil && snoozedUntil <= turn.now

function reopen(row: Recommendation, turn: Turn): void {
  const wasDecided = row.status === 'dismissed'
  Object.assign(row, { status: 'open', decidedAt: null, decidedBy: '', snoozedUntil: null, stillFires: false })
  note(row, 'reopened', turn)
  if (wasDecided) settle(row, turn)
}

/** Dismissed ones stay dismissed; for a deleted resource there is nothing left to save. */
function end(row: Recommendation, { why }: FindingEnd, turn: Turn): void {
  const { status } = row
  const before = copyOf(row)
  if (why === 'stale') row.staleSince ??= turn.now
  else row.fires = false
  if (why === 'deleted' && status === 'dismissed')
    Object.assign(row, { currentCostUsd: '0.00', savingsUsd: '0.00', grossSavingsUsd: '0.00' })
  if (why === 'retired' && status === 'open') close(row, 'rule_retired', turn)
  if ((why === 'cleared' || why === 'deleted') && (status === 'open' || status === 'applied'))
    close(row, 'optimised', turn)
  if (isChanged(row, before)) recordChange(row, status, turn)
}

function close(row: Recommendation, status: RecommendationStatus, turn: Turn): void {
  closeWorkflow(row, status, turn)
  row.status = status
  row.stillFires = false
  turn.forget('still')
  note(row, 'closed', turn)
}

const moves: Readonly<Record<RecommendationStatus, readonly RecommendationStatus[]>> = {
  open: ['applied', 'dismissed'],
  applied: ['open'],
  dismissed: ['open'],
  optimised: [],
  rule_retired: [],
}

/** @throws Fault `missing`; conflict `invalid_transition` (decision G-66) */
function decide(row: Recommendation, decided: RecommendationDecision, turn: Turn): void {
  const { status, userId, appliedAt, snoozeUntil, note: text } = decided
  if (row.generatedAt.getTime() === 0) throw Fault.missing('recommendation', row.id)
  const { status: from } = row
  turn.reply({ id: row.id, status })
  if (from === status) return
  if (!moves[from].includes(status))
    throw Fault.conflict('invalid_transition', `A recommendation cannot change from ${from} to ${status}.`)
  leaveWorkflow(row, status, userId, turn)
  row.status = status
  row.stillFires = false
  row.decidedAt = status === 'open' ? null : turn.now
  row.decidedBy = status === 'open' ? '' : userId
  row.snoozedUntil = status === 'dismissed' && snoozeUntil !== undefined ? new Date(snoozeUntil) : null
  note(row, status === 'open' ? 'reopened' : status, turn, userId, text)
  timers(row, turn)
  settle(row, turn)
  recordChange(row, from, turn, appliedAt)
}

/**
 * A workflow that has succeeded has made the change: the recommendation is set to applied in the name of the person who
 * started it.
 */
function hear(row: Recommendation, told: Static<typeof workflowTold.schema>, turn: Turn): void {
  const { status } = row
  if (!heardOf(row, told, turn)) return
  // The change has already cleared the finding: it is closed.
  if (status === 'optimised') return note(row, 'applied', turn, told.userId, 'by a workflow')
  if (status !== 'open') return
  Object.assign(row, {
    status: 'applied',
    stillFires: false,
    decidedAt: turn.now,
    decidedBy: told.userId,
    snoozedUntil: null,
  })
  note(row, 'applied', turn, told.userId, 'by a workflow')
  timers(row, turn)
  settle(row, turn)
  recordChange(row, status, turn)
}

function timers(row: Recommendation, turn: Turn): void {
  const data = { cloudAccountId: turn.address.place, recommendationId: row.id }
  if (row.snoozedUntil) turn.remind('wake', row.snoozedUntil, recommendationWoken, data)
  else turn.forget('wake')
  if (row.status === 'applied')
    turn.remind('still', new Date(turn.now.getTime() + appliedMs), recommendationWoken, data)
  else turn.forget('still')
}

/** A temporary dismissal has ended, or the time after setting it to applied has passed. */
function wake(row: Recommendation, turn: Turn): void {
  const { status, decidedAt } = row
  if (isAwake(row, turn) && row.fires) reopen(row, turn)
  else if (status === 'applied' && row.fires && decidedAt && turn.now.getTime() - decidedAt.getTime() >= appliedMs)
    row.stillFires = true
  else return
  recordChange(row, status, turn)
}

function settle(row: Recommendation, turn: Turn): void {
  const { resourceUid, ruleId, status } = row
  row.settledN++
  turn.emit(recommendationSettled, {
    cloudAccountId: turn.address.place,
    resourceUid,
    ruleId,
    status,
    n: row.settledN,
  })
}

function recordChange(row: Recommendation, from: RecommendationStatus, turn: Turn, appliedAt?: string): void {
  row.updatedAt = turn.now
  claim(row, from, turn, appliedAt)
  show(row, from, turn)
}
