import type { AutoscalerNeeds } from './needs.ts'
import { defineActor } from '#engine/actor/actor.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  autoscalerCommanded,
  autoscalerDue,
  autoscalerRemoved,
  autoscalerSaved,
  planRaised,
  planReleased,
  planReserved,
  planRestored,
  targetReported,
  type AutoscalerDueKind,
} from '#streams/autoscaling.ts'
import { powerTold } from '#streams/action/messages.ts'
import { execResult, resourceNamed } from '#streams/action/exec.ts'
import { metricSample } from '#streams/metric/messages.ts'
import type { PlanPhase } from '#streams/readiness.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { command, remove } from '#actors/autoscaling/policy/command.ts'
import { AutoscalerPolicy } from './entity.ts'
import { evaluate, look, remindEdge } from '#actors/autoscaling/policy/evaluate.ts'
import {
  goOn,
  takeHoldReport as ofPlans,
  putBackAgain,
  raiseTarget,
  refuseGone,
  release,
  reserve,
  restore,
  expireHoldCall,
} from '#actors/autoscaling/hold/hold.ts'
import { autoscalerNeeds } from './needs.ts'
import { reportOf } from '#actors/autoscaling/target/order.ts'
import { expireTargetCall, takeTargetReport, type Report } from '#actors/autoscaling/target/report.ts'
import { noteDiscovery, noteGone, notePower, noteSamples } from '#actors/autoscaling/target/sample.ts'
import { save } from '#actors/autoscaling/policy/save.ts'
import { countSaving } from '#actors/autoscaling/policy/saving.ts'
import { settle } from '#actors/autoscaling/policy/status.ts'
import { beginAnew } from './tell.ts'

const ofTarget = ({ targetUid }: { targetUid: string }): string => targetUid
const ofResource = ({ resourceUid }: { resourceUid: string }): string => resourceUid

const nobody = { min: 0, max: 1, desired: 0, cpuPercent: null, observedAt: new Date(0).toISOString() }

/**
 * Decides how many units a target should have: with every sample, at the times of triggers, and when a person requests
 * it (decisions G-75 to G-80).
 */
export const autoscalerActor = defineActor({
  kind: 'autoscaler',
  entity: AutoscalerPolicy,
  address: { orgId: 'orgId', place: 'cloudAccountId', key: 'targetUid' },
  initial: () => ({
    policyId: '',
    provider: '',
    targetType: '',
    name: '',
    mode: 'monitor' as const,
    min: 0,
    max: 1,
    targetCpuPercent: 60,
    cooldownSeconds: 300,
    triggers: [],
    adoption: null,
    step: null,
    maxHourlyUsd: null,
    effectiveMode: 'monitor' as const,
    status: 'active' as const,
    statusReason: '',
    isPaused: false,
    isGone: false,
    stop: null,
    seenAt: 0,
    failure: '',
    needsInfrastructure: false,
    recommendation: null,
    current: nobody,
    isTold: false,
    points: [],
    countedAt: 0,
    need: null,
    unitUsd: null,
    lastWriteAt: null,
    inFlight: null,
    failures: 0,
    isReplaced: false,
    plans: [],
    hold: null,
    saving: null,
    endedPlans: [],
    calls: 0,
    told: 0,
    createdBy: '',
    createdAt: new Date(0),
    updatedAt: new Date(0),
  }),
  needs: autoscalerNeeds,
  reactions: (on) => [
    on(autoscalerSaved, ofTarget, save),
    on(autoscalerCommanded, ofTarget, withSettling(command)),
    on(autoscalerRemoved, ofTarget, remove, { barrier: true }),
    on(autoscalerDue, ofTarget, withSettling(due), { existing: true }),
    on(targetReported, ofTarget, withSettling(takeAnswer), { existing: true }),
    on(execResult, ({ intentId }) => resourceNamed(intentId), withSettling(carriedOut), { existing: true }),
    on(powerTold, ofResource, withSettling(notePower), { existing: true }),
    on(metricSample, ofResource, withSavingCount(noteSamples), { existing: true }),
    on(resourceDiscovered, ofResource, withSettling(takeObservation), { existing: true }),
    on(resourceDeleted, ofResource, withSettling(noteGone), { existing: true }),
    on(planReserved, ofTarget, ofPlan('reserved', reserve)),
    on(planRaised, ofTarget, ofPlan<Static<typeof planRaised.schema>>('raised', raiseTarget)),
    on(planRestored, ofTarget, ofPlan('restored', restore)),
    on(planReleased, ofTarget, withSettling(release), { existing: true }),
  ],
})

type Handle<M> = (row: AutoscalerPolicy, message: M, turn: Turn<AutoscalerNeeds>) => void

/**
 * Settles mode and status by what the account allows, before and after the handler. A policy that becomes active is
 * evaluated again.
 */
function withSettling<M>(handle: Handle<M>): Handle<M> {
  return (row, message, turn) => {
    if (row.policyId === '') return handle(row, message, turn)
    const was = row.status
    settle(row, turn)
    handle(row, message, turn)
    if (row.hold?.state === 'waiting' && !row.inFlight) goOn(row, turn)
    settle(row, turn)
    countSaving(row, turn)
    if (was !== 'active' && row.status === 'active') beginAnew(row, turn)
  }
}

/**
 * For samples, which arrive constantly. They do not settle the status: changes of what the account allows have messages
 * of their own.
 */
function withSavingCount<M>(handle: Handle<M>): Handle<M> {
  return (row, message, turn) => {
    handle(row, message, turn)
    countSaving(row, turn)
  }
}

function takeObservation(
  row: AutoscalerPolicy,
  said: Static<typeof resourceDiscovered.schema>,
  turn: Turn<AutoscalerNeeds>,
): void {
  const wasGone = row.isGone
  noteDiscovery(row, said, turn)
  if (wasGone && !row.isGone) putBackAgain(row, turn)
}

interface OfPlan {
  planId: string
  revision: number
  policyId: string
}

/** Answers a plan even if the policy has been removed or replaced. */
function ofPlan<M extends OfPlan>(phase: PlanPhase, handle: Handle<M>): Handle<M> {
  const taken = withSettling(handle)
  return (row, message, turn) =>
    row.policyId === message.policyId ? taken(row, message, turn) : refuseGone(message, phase, turn)
}

const isActive = ({ status }: AutoscalerPolicy): boolean => status === 'active'

const dueBy: Readonly<Record<AutoscalerDueKind, (row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>) => void>> = {
  begin,
  edge: (row, turn) => {
    if (!isActive(row)) return
    remindEdge(row, turn)
    evaluate(row, turn, { isEdge: true, isClock: true })
  },
  look: evaluate,
  limit: expireTargetCall,
  hold: goOn,
  unanswered: expireHoldCall,
  verdict: (row, turn) => {
    putBackAgain(row, turn)
    begin(row, turn)
  },
  infrastructure: begin,
}

/** Conditions may have changed: looks at the target first. */
function begin(row: AutoscalerPolicy, turn: Turn<AutoscalerNeeds>): void {
  if (!isActive(row)) return
  remindEdge(row, turn)
  if (row.inFlight) evaluate(row, turn, { isEdge: true })
  else look(row, turn)
}

function due(
  row: AutoscalerPolicy,
  { policyId, what }: Static<typeof autoscalerDue.schema>,
  turn: Turn<AutoscalerNeeds>,
): void {
  if (policyId === '' || policyId === row.policyId) dueBy[what](row, turn)
}

/** The result of an executor outside this process. */
function carriedOut(row: AutoscalerPolicy, said: Static<typeof execResult.schema>, turn: Turn<AutoscalerNeeds>): void {
  const report = reportOf(row, said)
  if (report) takeAnswer(row, report, turn)
}

function takeAnswer(row: AutoscalerPolicy, said: Report, turn: Turn<AutoscalerNeeds>): void {
  if (said.policyId !== row.policyId) return
  if (!ofPlans(row, said, turn)) takeTargetReport(row, said, turn)
}
