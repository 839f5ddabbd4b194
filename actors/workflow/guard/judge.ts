/** What others answer before anything is done: the audit of the resource, and the guard of the organization. */
import type { WorkflowNeeds } from '#actors/workflow/needs.ts'
import { sameData } from '#engine/actor/row.ts'
import type { Static } from '#engine/value/schema.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { guardLeft, type factsJudged, type guardAnswered } from '#streams/workflow.ts'
import { beginNext, giveUp } from '#actors/workflow/call/carry-out.ts'
import { gatherFresh } from '#actors/workflow/call/effect.ts'
import { fail, isGate, succeed, withoutWaiting } from '#actors/workflow/end.ts'
import type { WorkflowPlan, Sight, WorkflowStep, WorkflowJob } from '#actors/workflow/entity.ts'
import { protectingTag } from './check.ts'
import type { ResourceFacts } from '#actors/workflow/needs.ts'
import { matches } from '#actors/workflow/plan/match.ts'
import { answerMs, completeStep, factsMs, wait } from '#actors/workflow/step.ts'
import { jobOf, note, remind, setStep, stepOf, write } from '#actors/workflow/tell.ts'

type FactsJudgement = Static<typeof factsJudged.schema>

/** What the audit says of the finding: held facts at a precondition, fresh ones right before something is done. */
export function takeJudgement(row: WorkflowJob, said: FactsJudgement, turn: Turn<WorkflowNeeds>): void {
  const step = stepOf(row)
  if (said.n !== row.n || !step) return
  if (step.kind === 'precondition') checkBefore(row, said, turn)
  else if (isGate(step) && row.ops.every(({ state }) => state === 'pending')) checkFresh(row, said, turn)
}

function checkBefore(row: WorkflowJob, said: FactsJudgement, turn: Turn<WorkflowNeeds>): void {
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

function checkFresh(row: WorkflowJob, said: FactsJudgement, turn: Turn<WorkflowNeeds>): void {
  turn.forget('facts')
  if (said.outcome === 'so') return completeStep(row, turn, { alreadyInTarget: true })
  const refusal = refusalOf(row, said)
  if (refusal) return fail(row, refusal.code, refusal.message, turn)
  beginNext(row, turn)
}

const sightOf = ({ deletedAt, status, instanceType, specs }: ResourceFacts): Sight => ({
  exists: deletedAt === null,
  status,
  ...(instanceType !== '' && { instanceType }),
  specs,
})

/** Whether what is planned is so already, as far as the inventory knows. */
function isSo({ ops, target }: WorkflowPlan, resource: ResourceFacts | undefined): boolean {
  if (ops.length === 0 || Object.keys(target).length === 0) return false
  if (target.exists === false) return !resource || resource.deletedAt !== null
  return resource !== undefined && matches(target, sightOf(resource)) === 'yes'
}

/** The job has succeeded without a call; the rest is skipped. */
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

/** What the guard says. What was halted between two calls goes on with the next one. */
export function takeGuardAnswer(
  row: WorkflowJob,
  said: Static<typeof guardAnswered.schema>,
  turn: Turn<WorkflowNeeds>,
): void {
  const step = stepOf(row)
  if (said.n !== row.n || !step || !isGate(step) || row.ops.some(({ state }) => state === 'running'))
    return decline(row, said, turn)
  const { code = said.answer, message = '' } = said
  if (said.answer === 'later') {
    const retryAt = new Date(said.retryAt ?? turn.now.getTime() + answerMs)
    return wait(row, { code, message, retryAt }, turn)
  }
  turn.forget('guard')
  if (said.answer === 'no') return forbidden(row, step, message, turn)
  row.grantN = said.n
  row.reason = ''
  setStep(row, step.id, { output: withoutWaiting(step) })
  write(row, 'guard_yes', turn, { step })
  // The same yes once more begins nothing.
  row.n += 1
  if (row.undo) return
  if (row.ops.some(({ state }) => state === 'done')) return beginNext(row, turn)
  askFresh(row, turn)
}

/** What was begun is taken back. */
function forbidden(row: WorkflowJob, step: WorkflowStep, message: string, turn: Turn<WorkflowNeeds>): void {
  write(row, 'guard_no', turn, { step, reason: message })
  const next = row.ops.findIndex(({ state }) => state !== 'done')
  if (next > 0) return giveUp(row, next, 'refused_by_guard', message, turn)
  fail(row, 'refused_by_guard', message, turn)
}

/** A yes that nobody waits for any more: the workflow has ended or asked anew meanwhile, and would count as under way for weeks. */
function decline(row: WorkflowJob, { answer, n }: Static<typeof guardAnswered.schema>, turn: Turn): void {
  if (answer === 'yes' && n !== row.grantN) turn.emit(guardLeft, { ...jobOf(row), n })
}

/** Gathered anew, so that nothing is done for what was true a day ago. */
function askFresh(row: WorkflowJob, turn: Turn<WorkflowNeeds>): void {
  const { n, resourceUid, plan } = row
  const key = `facts/${turn.address.orgId}/${row.id}/${n}`
  turn.call(gatherFresh, key, { ...jobOf(row), resourceUid, ruleId: plan.ruleId, n })
  remind(row, 'facts', factsMs, turn)
}
