/** Decisions of people, of the resource's audit and of the organization's guard, and what follows from them. */
import { hourMs } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { uuidOf } from '#engine/value/id.ts'
import { sameData } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import {
  guardLeft,
  type factsJudged,
  type guardAnswered,
  type workflowCancelled,
  type workflowDecided,
  type workflowDone,
  type WorkflowWanted,
} from '#streams/workflow.ts'
import { beginNext, giveUp } from '#actors/workflow/call/carry-out.ts'
import { gatherFresh } from '#actors/workflow/call/effect.ts'
import { protectingTag } from '#actors/workflow/guard/check.ts'
import { matches } from '#actors/workflow/plan/match.ts'
import { hashOf, type RecommendationFacts } from '#actors/workflow/plan/plan.ts'
import { planWorkflow } from '#actors/workflow/plan/plan-workflow.ts'
import { hasBegun } from '#actors/workflow/plan/warrant.ts'
import { cancel, fail, succeed, withoutWaiting } from './end.ts'
import type { WorkflowJob, WorkflowPlan, WorkflowStep, Sight } from './entity.ts'
import type { RequestedWorkflow, ResourceFacts, WorkflowNeeds } from './needs.ts'
import { answerMs, completeStep, factsMs, proceed, wait } from './step.ts'
import { jobOf, note, publish, remind, setStep, stepOf, system, tellRecommendation, write } from './tell.ts'

type WorkflowDecision = Static<typeof workflowDecided.schema>
type Cancellation = Static<typeof workflowCancelled.schema>
type FactsJudgement = Static<typeof factsJudged.schema>
type GuardAnswer = Static<typeof guardAnswered.schema>

/** Maximum live workflows of an organization. */
const liveMax = 1000

/**
 * @throws Fault `missing`; `conflict` `invalid_transition`, `job_active`; `refused` `not_a_member`, `wrong_subject`,
 * `limit_reached`, `capability_missing`
 */
export function want(row: WorkflowJob, wanted: WorkflowWanted, turn: Turn<WorkflowNeeds>): void {
  turn.reply({ jobId: wanted.jobId })
  const needs = turn.needs
  const { orgId, place } = turn.address
  const found = needs.wanted(orgId, wanted.jobId)
  const recommendation = found?.recommendation
  if (!found || !recommendation) throw Fault.missing('recommendation', wanted.recommendationId)
  checkWanted(recommendation, found, wanted)
  const resource = needs.resource(orgId, place, recommendation.resourceUid)
  if (!resource) throw Fault.missing('resource', recommendation.resourceUid)
  const { plan, steps } = planWorkflow(needs, { orgId, account: place }, recommendation, resource)
  if (plan.template !== 'manual') checkReach(found)
  Object.assign(row, {
    recommendationId: recommendation.id,
    resourceUid: recommendation.resourceUid,
    subjectType: wanted.subjectType,
    subjectId: wanted.subjectId,
    template: plan.template,
    status: 'pending',
    plan,
    planHash: hashOf(plan),
    steps,
    ops: plan.ops.map((_, index) => ({
      state: 'pending',
      call: '',
      actionId: uuidOf('workflow', orgId, row.id, String(index)),
      tries: 0,
      failures: 0,
    })),
    createdBy: wanted.userId,
    createdAt: turn.now,
  })
  write(row, 'begun', turn, { actor: wanted.userId })
  tellRecommendation(row, 'begun', turn)
  publish(row, 'begun', turn)
  proceed(row, turn)
}

function checkWanted(
  of: RecommendationFacts,
  found: RequestedWorkflow,
  { subjectType, subjectId }: WorkflowWanted,
): void {
  if (found.ofRecommendation > 0)
    throw Fault.conflict('job_active', 'A workflow for this recommendation is already in progress.')
  if (of.status !== 'open')
    throw Fault.conflict('invalid_transition', `A recommendation with status ${of.status} cannot be automated.`)
  if (subjectType === 'resource' && subjectId !== of.resourceUid)
    throw Fault.refused('wrong_subject', 'The recommendation is for another resource.')
  if (!found.isMember) throw Fault.refused('not_a_member', 'The resource is not a member of that group.')
  if (found.ofOrganization >= liveMax)
    throw Fault.refused('limit_reached', `An organization can have at most ${liveMax} workflows in progress.`)
}

/** @throws Fault `refused` `capability_missing` if nothing can be called in the resource's account */
function checkReach({ account }: RequestedWorkflow): void {
  if (!account || account.status === 'deleted' || account.status === 'disabled')
    throw Fault.refused('capability_missing', 'The account of the resource is disabled or not connected.')
  if (account.verdict === 'read_only' || account.verdict === 'none')
    throw Fault.refused('capability_missing', 'The credentials of the account do not allow changes.')
}

/** A repeat of the same request: the workflow has started already. */
export const repeat = (_row: WorkflowJob, { jobId }: WorkflowWanted, turn: Turn): void => turn.reply({ jobId })

/** @throws Fault `missing` */
export function refuseMissing({ id }: WorkflowJob): never {
  throw Fault.missing('workflow', id)
}

/** No step waits for a decision. @throws Fault `missing`; `conflict` `not_awaiting` */
export const refuseDecision = (row: WorkflowJob, decision: WorkflowDecision): void => void findAwaiting(row, decision)

function findAwaiting(row: WorkflowJob, { stepId, stepName }: WorkflowDecision): WorkflowStep {
  const named = row.steps.filter((step) => (stepId === undefined ? step.name === stepName : step.id === stepId))
  if (named.length === 0) throw Fault.missing('step', stepId ?? stepName ?? '')
  const found = named.find(({ status }) => status === 'awaiting_user')
  if (!found) throw Fault.conflict('not_awaiting', 'The step is not waiting for a decision.')
  return found
}

/** @throws Fault `missing`; `conflict` `not_awaiting` */
export function reject(row: WorkflowJob, decision: WorkflowDecision, turn: Turn<WorkflowNeeds>): void {
  const rejected = findAwaiting(row, decision)
  turn.reply({ jobId: row.id })
  cancel(row, { actor: decision.userId, reason: decision.reason ?? '', rejected }, turn)
}

/** @throws Fault `missing`; `conflict` `not_awaiting`, `already_approved`; `forbidden` `four_eyes` */
export function approve(row: WorkflowJob, decision: WorkflowDecision, turn: Turn<WorkflowNeeds>): void {
  const step = findAwaiting(row, decision)
  const { userId, reason = '' } = decision
  turn.reply({ jobId: row.id })
  if (row.plan.fourEyes && userId === row.createdBy)
    throw Fault.forbidden('four_eyes', 'The person who started the workflow cannot approve it. Someone else must.')
  const own = row.approvals.filter(({ stepId }) => stepId === step.id)
  if (own.some((approval) => approval.userId === userId))
    throw Fault.conflict('already_approved', 'You have already approved this step. Another person must approve it too.')
  const { planHash } = row
  row.approvals = [...row.approvals, { stepId: step.id, userId, at: turn.now.toISOString(), planHash }]
  note(row, step, 'approved', turn, { actor: userId, ...(reason !== '' && { reason }) })
  if (own.length + 1 < (step.approvals ?? 1)) return
  completeStep(row, turn)
  limitApproval(row, turn)
}

/**
 * An approval is valid for as long as the step waited for it: within that time everything else must allow the workflow
 * to continue. The oldest approval counts.
 */
function limitApproval(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  if (row.status !== 'running') return
  const ends = row.approvals.map(({ stepId, at }) => {
    const hours = row.steps.find(({ id }) => id === stepId)?.expiresHours ?? 1
    return Date.parse(at) + hours * hourMs
  })
  remind(row, 'expires', Math.max(0, Math.min(...ends) - turn.now.getTime()), turn)
}

export function stop(row: WorkflowJob, { userId, reason = '' }: Cancellation, turn: Turn<WorkflowNeeds>): void {
  turn.reply({ jobId: row.id })
  cancel(row, { actor: userId || system, reason }, turn)
}

/** @throws Fault `conflict` `invalid_transition`, unless a recommendation sent it */
export function refuseStop({ id, status }: WorkflowJob, { isTold = false }: Cancellation, turn: Turn): void {
  turn.reply({ jobId: id })
  const word = status === 'running' ? 'done' : status
  if (!isTold) throw Fault.conflict('invalid_transition', `The workflow is already ${word}.`)
}

type WorkDone = Static<typeof workflowDone.schema>

/** People have made the change. */
export function completeDone(row: WorkflowJob, { how, userId }: WorkDone, turn: Turn<WorkflowNeeds>): void {
  if (row.template === 'manual') completeStep(row, turn, { how, ...(userId !== '' && { by: userId }) })
}

/** People have made the change before it was approved: the workflow ends all the same. */
export function cancelDone(row: WorkflowJob, { how, userId }: WorkDone, turn: Turn<WorkflowNeeds>): void {
  if (row.template !== 'manual') return
  const reason = `The recommendation was ${how} before the workflow was approved.`
  cancel(row, { actor: userId || system, reason }, turn)
}

/** Nobody has decided in time. */
export const expireStep = (row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void =>
  cancel(row, { actor: system, reason: 'The step was not approved in time.' }, turn)

/** The approved change could not be started in time. */
export function expireApproval(row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void {
  if (!hasBegun(row)) cancel(row, { actor: system, reason: 'The approval has expired.' }, turn)
}

/** Manual work has a deadline of its own. */
export function expireResult(row: WorkflowJob, due: unknown, turn: Turn<WorkflowNeeds>): void {
  if (row.template !== 'manual') expireApproval(row, due, turn)
}

/** Calls in progress are awaited. */
export function expireLater(row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void {
  if (!hasBegun(row)) remind(row, 'expires', hourMs, turn)
}

/** A judgement on the facts that the audit has. */
export function judgeBefore(row: WorkflowJob, said: FactsJudgement, turn: Turn<WorkflowNeeds>): void {
  if (said.n !== row.n) return
  turn.forget('facts')
  const { orgId, place } = turn.address
  const resource = turn.needs.resource(orgId, place, row.resourceUid)
  if (isSo(row.plan, resource)) return endEarly(row, turn)
  const held = row.template === 'start' ? undefined : protectingTag(turn.needs.grounds(orgId, place, row.resourceUid))
  if (held !== undefined) return fail(row, 'protected', `The resource is protected by its tag ${held}.`, turn)
  const refusal = refusalOf(row, said)
  if (refusal) return fail(row, refusal.code, refusal.message, turn)
  completeStep(row, turn)
}

/** A judgement on facts collected right before the change. */
export function judgeFresh(row: WorkflowJob, said: FactsJudgement, turn: Turn<WorkflowNeeds>): void {
  if (said.n !== row.n || row.ops.some(({ state }) => state !== 'pending')) return
  turn.forget('facts')
  if (said.outcome === 'so') return completeStep(row, turn, { alreadyInTarget: true })
  const refusal = refusalOf(row, said)
  if (refusal) return fail(row, refusal.code, refusal.message, turn)
  beginNext(row, turn)
}

export const lackFacts = (row: WorkflowJob, _: unknown, turn: Turn<WorkflowNeeds>): void =>
  fail(row, 'facts_unavailable', 'The data for the rule could not be collected in time, so nothing was changed.', turn)

const sightOf = ({ deletedAt, status, instanceType, specs }: ResourceFacts): Sight => ({
  exists: deletedAt === null,
  status,
  ...(instanceType !== '' && { instanceType }),
  specs,
})

/** Whether the resource is already as planned, according to the inventory. */
function isSo({ ops, target }: WorkflowPlan, resource: ResourceFacts | undefined): boolean {
  if (ops.length === 0 || Object.keys(target).length === 0) return false
  if (target.exists === false) return !resource || resource.deletedAt !== null
  return resource !== undefined && matches(target, sightOf(resource)) === 'yes'
}

/** The job has succeeded without a call; remaining steps are skipped. */
function endEarly(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  const step = stepOf(row)!
  setStep(row, step.id, {
    status: 'succeeded',
    completedAt: turn.now.toISOString(),
    output: { alreadyInTarget: true },
  })
  note(row, step, 'completed', turn, { reason: 'The resource is already in the planned state.' })
  succeed(row, turn)
}

function refusalOf({ plan, approvals }: WorkflowJob, { outcome, targetSpec }: FactsJudgement) {
  if (outcome === 'gone') return { code: 'resource_gone', message: 'The resource no longer exists.' }
  if (outcome === 'changed')
    return { code: 'changed_since_approval', message: 'The resource has changed since it was approved.' }
  if (outcome === 'clear')
    return { code: 'no_longer_fires', message: 'The rule no longer finds anything, so there is nothing to do.' }
  if (outcome === 'hold')
    return { code: 'facts_unavailable', message: 'The data for the rule is not available, so nothing was changed.' }
  if (plan.ops.length === 0 || sameData(targetSpec, plan.targetSpec)) return undefined
  const since = approvals.length > 0 ? 'approved' : 'planned'
  return {
    code: `changed_since_${approvals.length > 0 ? 'approval' : 'plan'}`,
    message: `The rule now suggests a different target than the one that was ${since}.`,
  }
}

/** A workflow that was halted between two calls continues with the next one. */
export function allow(row: WorkflowJob, said: GuardAnswer, turn: Turn<WorkflowNeeds>): void {
  if (said.n !== row.n) return declineGrant(row, said, turn)
  const step = stepOf(row)!
  turn.forget('guard')
  row.grantN = said.n
  row.reason = ''
  setStep(row, step.id, { output: withoutWaiting(step) })
  write(row, 'guard_yes', turn, { step })
  // Otherwise a repeat of the same grant would start it again.
  row.n += 1
  if (row.ops.some(({ state }) => state === 'done')) return beginNext(row, turn)
  askFresh(row, turn)
}

export function waitForGuard(row: WorkflowJob, said: GuardAnswer, turn: Turn<WorkflowNeeds>): void {
  if (said.n !== row.n) return
  const { code = said.answer, message = '' } = said
  wait(row, { code, message, retryAt: new Date(said.retryAt ?? turn.now.getTime() + answerMs) }, turn)
}

/** Reverts what was started. */
export function forbid(row: WorkflowJob, { n, message = '' }: GuardAnswer, turn: Turn<WorkflowNeeds>): void {
  if (n !== row.n) return
  turn.forget('guard')
  write(row, 'guard_no', turn, { step: stepOf(row)!, reason: message })
  const next = row.ops.findIndex(({ state }) => state !== 'done')
  if (next > 0) return giveUp(row, next, 'refused_by_guard', message, turn)
  fail(row, 'refused_by_guard', message, turn)
}

/**
 * Returns a grant that is no longer awaited, because the workflow has ended or asked again; otherwise it would count as
 * in progress for weeks.
 */
export function declineGrant(row: WorkflowJob, { n }: GuardAnswer, turn: Turn): void {
  if (n !== row.grantN) turn.emit(guardLeft, { ...jobOf(row), n })
}

/** Collects facts again, so that nothing is done because of facts that are a day old. */
function askFresh(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  const { n, resourceUid, plan } = row
  const key = `facts/${turn.address.orgId}/${row.id}/${n}`
  turn.call(gatherFresh, key, { ...jobOf(row), resourceUid, ruleId: plan.ruleId, n })
  remind(row, 'facts', factsMs, turn)
}
