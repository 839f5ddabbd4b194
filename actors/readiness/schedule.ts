/** Creating, changing and scheduling plans. */
import type { ReadinessNeeds } from './needs.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  schedulableStatuses,
  type PlanTerms,
  type readinessSaved,
  type readinessScheduled,
} from '#streams/readiness.ts'
import { fail } from './end.ts'
import type { PlanTarget, ReadinessPlan } from './entity.ts'
import { askAgain } from './restore.ts'
import { release, reserveAll, setTargets } from './target.ts'
import { log, mayMove, move, planOf, remind, wrongMove } from './tell.ts'
import { overlaps, windowOf, type EventTimes } from './window.ts'

/** Milliseconds within which all policies must accept (decision G-82). */
const ackMs = 5 * 60_000

/** @throws Fault `missing` if the plan is unknown or deleted */
export function checkThere(row: ReadinessPlan): void {
  if (row.revision === 0 || row.deletedAt !== null) throw Fault.missing('plan', row.id)
}

/** @throws Fault as `readinessSaved` says */
export function save(row: ReadinessPlan, said: Static<typeof readinessSaved.schema>, turn: Turn<ReadinessNeeds>): void {
  turn.reply(planOf(row))
  if (!said.isNew) return change(row, said.terms, said.userId, turn)
  if (row.revision > 0) throw Fault.conflict('already_exists', 'A plan with this ID already exists.')
  assign(row, said.terms, turn)
  Object.assign(row, { revision: 1, createdBy: said.userId, createdAt: turn.now, updatedAt: turn.now })
}

function change(row: ReadinessPlan, terms: Partial<PlanTerms>, userId: string, turn: Turn<ReadinessNeeds>): void {
  checkThere(row)
  if (!schedulableStatuses.some((status) => status === row.status))
    throw Fault.conflict('plan_not_schedulable', `A plan with status ${row.status} cannot be changed.`)
  const before = row.targets
  assign(row, terms, turn)
  row.updatedAt = turn.now
  if (row.status === 'draft') return
  checkTimes(row, turn)
  row.revision += 1
  log(
    row,
    { kind: 'intent', message: `changed: all targets are reserved again (revision ${row.revision})`, actor: userId },
    turn,
  )
  const isLeft = ({ policyId }: PlanTarget) => row.targets.every((target) => target.policyId !== policyId)
  release(row, before.filter(isLeft), turn)
  reserve(row, turn)
}

const dropUndefined = <T extends object>(members: T): Partial<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>

/** Validates everything before it changes anything. */
function assign(
  row: ReadinessPlan,
  { eventStart, eventEnd, policyIds, ...rest }: Partial<PlanTerms>,
  turn: Turn<ReadinessNeeds>,
): void {
  const times = {
    eventStart: eventStart === undefined ? row.eventStart : new Date(eventStart),
    eventEnd: eventEnd === undefined ? row.eventEnd : new Date(eventEnd),
  }
  checkOrder(times)
  const targets = policyIds && policyIds.map((policyId, i) => targetOf(row, policyId, i, turn))
  Object.assign(row, dropUndefined(rest), times, targets && { targets })
}

function checkOrder({ eventStart, eventEnd }: Pick<EventTimes, 'eventStart' | 'eventEnd'>): void {
  if (eventEnd <= eventStart)
    throw Fault.invalidAt({ path: '/eventEnd', code: 'range', message: 'must be after eventStart' })
}

/** The target that the plan already has, or a new one. */
function targetOf(row: ReadinessPlan, policyId: string, index: number, turn: Turn<ReadinessNeeds>): PlanTarget {
  const known = row.targets.find((target) => target.policyId === policyId)
  if (known) return known
  const place = turn.needs.policies.find((policy) => policy.policyId === policyId)
  if (place) return { ...place, state: 'idle', originals: null, scaled: null }
  const message = 'is not an autoscaler policy in this organization'
  throw Fault.invalidAt({ path: `/targets/${index}/policyId`, code: 'unknown', message })
}

/** @throws Fault `refused` `event_in_past`; `conflict` `policy_window_conflict` */
function checkTimes(row: ReadinessPlan, turn: Turn<ReadinessNeeds>): void {
  if (row.eventEnd <= turn.now)
    throw Fault.refused('event_in_past', 'The event has ended, so no capacity can be prepared for it.')
  const window = windowOf(row)
  const policyIds = row.targets.map(({ policyId }) => policyId)
  const other = turn.needs.others.find(
    (plan) => overlaps(window, windowOf(plan)) && plan.policyIds.some((id) => policyIds.includes(id)),
  )
  if (!other) return
  const shared = other.policyIds.filter((id) => policyIds.includes(id))
  throw Fault.conflict('policy_window_conflict', `Plan ${other.name} already uses policy ${shared[0]} at that time.`, {
    planId: other.id,
    policyIds: shared,
  })
}

/** @throws Fault as `readinessScheduled` says */
export function schedule(
  row: ReadinessPlan,
  { from, userId }: Static<typeof readinessScheduled.schema>,
  turn: Turn<ReadinessNeeds>,
): void {
  checkThere(row)
  if (row.status !== from || !mayMove(row, 'scheduling')) throw wrongMove(row.status, 'scheduling')
  checkTimes(row, turn)
  turn.reply(planOf(row))
  move(row, 'scheduling', from === 'draft' ? 'Scheduled.' : 'Retried.', turn, userId)
  if (from === 'failed') prepare(row, turn)
  reserve(row, turn)
}

/** Targets that could not be restored keep their originals; their current counts are unknown. */
function prepare(row: ReadinessPlan, turn: Turn): void {
  setTargets(row, { isKept: true, scaled: null }, ({ policyId }) => row.owed.some((one) => one.policyId === policyId))
  askAgain(row, turn)
  row.revision += 1
  row.reason = ''
}

function reserve(row: ReadinessPlan, turn: Turn<ReadinessNeeds>): void {
  const { policies } = turn.needs
  const gone = row.targets.find(({ policyId }) => policies.every((policy) => policy.policyId !== policyId))
  if (gone)
    return fail(
      row,
      { reason: `Policy ${gone.policyId} of target ${gone.targetUid} no longer exists.`, of: gone },
      turn,
    )
  reserveAll(row, turn)
  const { from, to } = windowOf(row)
  remind(row, 'ack', new Date(turn.now.getTime() + ackMs), turn)
  remind(row, 'up', from, turn)
  remind(row, 'down', to, turn)
}
