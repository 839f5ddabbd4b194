/** Evaluates a policy: the result is a recommendation, a change, or nothing. */
import type { AutoscalerNeeds } from '#actors/autoscaling/needs.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { cpuOf, decide, type Wish } from './decide.ts'
import type { AutoscalerPolicy, ChangeKind, InFlight } from '#actors/autoscaling/entity.ts'
import { isDatabase } from '#streams/cloud/resource/resource-type.ts'
import { order } from '#actors/autoscaling/target/order.ts'
import { nextEdgeOf } from './trigger.ts'
import { note, remind } from '#actors/autoscaling/tell.ts'

/** Milliseconds after which an unanswered call counts as failed. */
export const limitMs = 600_000

/**
 * Compares current and wanted counts. `isEdge`: a trigger or a person caused it, so it does not wait for the cooldown;
 * `isClock`: it was a trigger. CPU from before a change says nothing about the need after it, so it is ignored until
 * the cooldown has ended.
 */
export function evaluate(
  row: AutoscalerPolicy,
  turn: Turn<AutoscalerNeeds>,
  { isEdge = false, isClock = false } = {},
): void {
  if (row.status !== 'active') return
  const now = turn.now.getTime()
  const cpu = cpuOf(row.points, now)
  noteCpu(row, cpu, turn)
  const why = whyLeftAlone(row)
  if (why === undefined) judge(row, { cpu, isEdge, byClock: isEdge && (isClock || hasEdgePassed(row, now)) }, turn)
  else Object.assign(row, { recommendation: null, statusReason: why })
}

interface JudgeInput {
  /** Percent, mean of the last five minutes; null if not measured. */
  cpu: number | null
  isEdge: boolean
  byClock: boolean
}

function judge(row: AutoscalerPolicy, { cpu, isEdge, byClock }: JudgeInput, turn: Turn<AutoscalerNeeds>): void {
  const now = turn.now.getTime()
  const openAt = openAtOf(row, now)
  const isAutopilot = row.effectiveMode === 'autopilot'
  const isAsked = openAt === undefined || (isAutopilot && !isEdge)
  const wish = wishOf(row, { cpu: isAsked ? cpu : null, byClock }, now)
  row.statusReason = wish.note ?? ''
  if (isAutopilot) return act(row, wish, { isEdge, byClock, openAt }, turn)
  if (openAt !== undefined && cpu !== null) remind(row, 'look', openAt, turn)
  propose(row, wish, turn)
}

export const stoppedReason = 'The target is stopped. The policy resumes when it is running.'

const noUnits =
  'Databases do not scale by units. This policy is only used by readiness plans, which recommend a sufficient instance class.'

const whyLeftAlone = ({ stop, targetType }: AutoscalerPolicy): string | undefined =>
  stop ? stoppedReason : isDatabase(targetType) ? noUnits : undefined

/** Once there are no samples, the shown CPU becomes null. */
function noteCpu(row: AutoscalerPolicy, cpu: number | null, turn: Turn): void {
  if (cpu === null && row.current.cpuPercent === null) return
  row.current = { ...row.current, cpuPercent: cpu, observedAt: turn.now.toISOString() }
}

/** The end of the cooldown; undefined once it has passed. */
function openAtOf({ lastWriteAt, cooldownSeconds }: AutoscalerPolicy, now: number): number | undefined {
  const openAt = (lastWriteAt?.getTime() ?? -Infinity) + cooldownSeconds * 1000
  return now < openAt ? openAt : undefined
}

/** Makes the change, or waits for the call in progress or the end of the cooldown. */
function act(
  row: AutoscalerPolicy,
  wish: Wish,
  { isEdge, byClock, openAt }: { isEdge: boolean; byClock: boolean; openAt: number | undefined },
  turn: Turn<AutoscalerNeeds>,
): void {
  row.recommendation = null
  if (isEdge && row.inFlight) row.inFlight = { ...row.inFlight, hasEdge: true, ...(byClock && { byClock }) }
  else if (!wish.isChange) {
    if (isEdge && row.adoption === 'replace' && !row.isReplaced) replace(row, turn)
  } else if (row.inFlight) return
  else if (openAt !== undefined && !isEdge) remind(row, 'look', openAt, turn)
  else change(row, { kind: kindOf(wish, byClock), wish, appliedBy: '' }, turn)
}

const kindOf = ({ byLoad, byTrigger }: Wish, byClock: boolean): ChangeKind & ('schedule' | 'write') =>
  !byLoad && (byClock || byTrigger) ? 'schedule' : 'write'

/** A trigger has opened or closed since the last change, without an evaluation at that time. */
function hasEdgePassed({ triggers, lastWriteAt }: AutoscalerPolicy, now: number): boolean {
  const edge = lastWriteAt ? nextEdgeOf(triggers, lastWriteAt.getTime()) : undefined
  return edge !== undefined && edge <= now
}

const wishOf = (row: AutoscalerPolicy, by: { cpu: number | null; byClock: boolean }, now: number): Wish =>
  decide(row, { ...by, current: row.current, need: row.need ?? null, unitUsd: row.unitUsd ?? null }, now)

/** At most one recommendation is open; an event is recorded when its bounds change. */
function propose(row: AutoscalerPolicy, wish: Wish, turn: Turn<AutoscalerNeeds>): void {
  if (!wish.isChange) {
    row.recommendation = null
    return
  }
  const { min: toMin, max: toMax, desired: toDesired, need, reason } = wish
  const { min: fromMin, max: fromMax } = row.current
  const is = row.recommendation
  if (is?.toMin === toMin && is.toMax === toMax) {
    if (is.toDesired !== toDesired || is.need !== need) row.recommendation = { ...is, toDesired, need }
    return
  }
  row.recommendation = {
    id: uuidOf('recommendation', turn.address.orgId, row.policyId, String(row.told + 1)),
    fromMin,
    fromMax,
    toMin,
    toMax,
    toDesired,
    need,
    reason,
    createdAt: turn.now.toISOString(),
  }
  note(row, 'recommendation', turn, { from: row.current, to: wish, reason })
}

interface Change {
  kind: 'write' | 'schedule' | 'apply'
  wish: Pick<Wish, 'min' | 'max' | 'desired' | 'need' | 'reason'>
  /** Empty if the service does it by itself. */
  appliedBy: string
}

/** Requests the change from the cloud. With adoption `adopt` the target's own policies decide the number of units. */
export function change(row: AutoscalerPolicy, { kind, wish, appliedBy }: Change, turn: Turn<AutoscalerNeeds>): void {
  const { min, max, desired, need, reason } = wish
  row.lastWriteAt = turn.now
  begin(row, { kind, from: countsOf(row), to: { min, max, desired }, need, reason, appliedBy }, turn)
}

const countsOf = ({ current: { min, max, desired } }: AutoscalerPolicy) => ({ min, max, desired })

/** Replaces the target's own scaling policies, once. */
function replace(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  if (row.inFlight) return
  begin(row, { kind: 'replace', from: countsOf(row), need: row.need ?? null, reason: '', appliedBy: '' }, turn)
}

/** Reads the counts of the target. */
export function look(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  if (!row.inFlight)
    begin(row, { kind: 'look', from: countsOf(row), need: row.need ?? null, reason: '', appliedBy: '' }, turn)
}

function begin(row: AutoscalerPolicy, asked: Omit<InFlight, 'call'>, turn: Turn<AutoscalerNeeds>): void {
  const { to } = asked
  const isReplacing = row.adoption === 'replace' && !row.isReplaced && asked.kind !== 'look'
  const input = {
    ...(to && { counts: row.adoption === 'adopt' ? { min: to.min, max: to.max } : to }),
    ...(isReplacing && { replaceAtCpu: row.targetCpuPercent }),
  }
  const call = order(row, asked.kind, input, turn)
  row.inFlight = { ...asked, call, ...(isReplacing && { replaces: true }) }
  remind(row, 'limit', turn.now.getTime() + limitMs, turn)
}

/** Sets the reminder for the next time at which a trigger opens or closes. */
export function remindEdge(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  const edge = nextEdgeOf(row.triggers, turn.now.getTime())
  if (edge === undefined) turn.forget('edge')
  else remind(row, 'edge', edge, turn)
}
