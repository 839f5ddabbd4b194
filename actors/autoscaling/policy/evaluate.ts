/** What follows from how a target stands: a recommendation, or a change. */
import type { AutoscalerNeeds } from '#actors/autoscaling/needs.ts'
import { uuidOf } from '#engine/value/id.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { cpuOf, decide, type Wish } from './decide.ts'
import type { AutoscalerPolicy, ChangeKind, InFlight } from '#actors/autoscaling/entity.ts'
import { isDatabase } from '#streams/cloud/resource/resource-type.ts'
import { order } from '#actors/autoscaling/target/order.ts'
import { nextEdgeOf } from './trigger.ts'
import { note, remind } from '#actors/autoscaling/tell.ts'

/** Milliseconds in which a call is answered; by then it has failed. */
export const limitMs = 600_000

/**
 * Compares what is with what is to be. `isEdge`: the clock or a person asks, so no cooldown is waited for; `isClock`: it is the clock.
 * What the load was before a change says nothing of what it needs behind it, so until its cooldown is over the load is not asked again.
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
  /** Percent of the last five minutes; null where none was measured. */
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

/** What nobody measures any more is not shown any more. */
function noteCpu(row: AutoscalerPolicy, cpu: number | null, turn: Turn): void {
  if (cpu === null && row.current.cpuPercent === null) return
  row.current = { ...row.current, cpuPercent: cpu, observedAt: turn.now.toISOString() }
}

/** The end of its cooldown; undefined once that is over. */
function openAtOf({ lastWriteAt, cooldownSeconds }: AutoscalerPolicy, now: number): number | undefined {
  const openAt = (lastWriteAt?.getTime() ?? -Infinity) + cooldownSeconds * 1000
  return now < openAt ? openAt : undefined
}

/** Makes the change, or waits: for the call before it, for the end of its cooldown. */
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

/** A trigger has opened or shut since the target was changed last, while nobody looked. */
function hasEdgePassed({ triggers, lastWriteAt }: AutoscalerPolicy, now: number): boolean {
  const edge = lastWriteAt ? nextEdgeOf(triggers, lastWriteAt.getTime()) : undefined
  return edge !== undefined && edge <= now
}

const wishOf = (row: AutoscalerPolicy, by: { cpu: number | null; byClock: boolean }, now: number): Wish =>
  decide(row, { ...by, current: row.current, need: row.need ?? null, unitUsd: row.unitUsd ?? null }, now)

/** One recommendation is open; it is told of when its bounds are others. */
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
  /** Empty for what the service does by itself. */
  appliedBy: string
}

/** Asks the cloud for it. Under `adopt` the number of units is left to the policies that the target has. */
export function change(row: AutoscalerPolicy, { kind, wish, appliedBy }: Change, turn: Turn<AutoscalerNeeds>): void {
  const { min, max, desired, need, reason } = wish
  row.lastWriteAt = turn.now
  begin(row, { kind, from: countsOf(row), to: { min, max, desired }, need, reason, appliedBy }, turn)
}

const countsOf = ({ current: { min, max, desired } }: AutoscalerPolicy) => ({ min, max, desired })

/** Policies that the target has of its own are put out of the way, once. */
function replace(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  if (row.inFlight) return
  begin(row, { kind: 'replace', from: countsOf(row), need: row.need ?? null, reason: '', appliedBy: '' }, turn)
}

/** How many units are there? */
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

/** The reminder of the trigger that opens or shuts next. */
export function remindEdge(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  const edge = nextEdgeOf(row.triggers, turn.now.getTime())
  if (edge === undefined) turn.forget('edge')
  else remind(row, 'edge', edge, turn)
}
