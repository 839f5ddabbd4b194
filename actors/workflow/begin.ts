/** How a workflow begins: for an open recommendation, by what its resource and the policies of the organization say now. */
import type { WorkflowNeeds } from './needs.ts'
import { uuidOf } from '#engine/value/id.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Turn } from '#engine/actor/turn.ts'
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import type { WorkflowWanted } from '#streams/workflow.ts'
import { stepsFor } from '#actors/workflow/custom/custom.ts'
import type { WorkflowStep, WorkflowJob } from './entity.ts'
import { factsFor, type ResourceFacts, type RequestedWorkflow, type PlanningNeeds } from './needs.ts'
import { hashOf, planOf, templateOf, type RecommendationFacts } from '#actors/workflow/plan/plan.ts'
import { proceed } from './step.ts'
import { publish, tellRecommendation, write } from './tell.ts'
import { templates, type TemplateStep } from '#actors/workflow/plan/template.ts'

/** Live workflows of an organization. */
const liveMax = 1000

/** @throws Fault `missing`; conflict `invalid_transition`, `job_active`; refused `not_a_member`, `wrong_subject`, `limit_reached`, `capability_missing` */
export function want(row: WorkflowJob, wanted: WorkflowWanted, turn: Turn<WorkflowNeeds>): void {
  turn.reply({ jobId: wanted.jobId })
  // The same request once more: it has begun.
  if (row.createdAt.getTime() > 0) return
  const needs = turn.needs
  const { orgId, place } = turn.address
  const found = needs.wanted(orgId, wanted.jobId)
  const recommendation = found?.recommendation
  if (!found || !recommendation) throw Fault.missing('recommendation', wanted.recommendationId)
  check(recommendation, found, wanted)
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

function check(of: RecommendationFacts, found: RequestedWorkflow, { subjectType, subjectId }: WorkflowWanted): void {
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

/** @throws Fault refused `capability_missing` where nothing can be called at the account of the resource */
function checkReach({ account }: RequestedWorkflow): void {
  if (!account || account.status === 'deleted' || account.status === 'disabled')
    throw Fault.refused('capability_missing', 'The account of the resource is disabled or not connected.')
  if (account.verdict === 'read_only' || account.verdict === 'none')
    throw Fault.refused('capability_missing', 'The credentials of the account do not allow changes.')
}

/** The plan and the steps of a workflow that begins now: the preview shows the same. Pure. */
export function planWorkflow(
  needs: PlanningNeeds,
  { orgId, account }: { orgId: string; account: string },
  recommendation: RecommendationFacts,
  resource: ResourceFacts,
): { plan: WorkflowJob['plan']; steps: WorkflowStep[] } {
  const template = templateOf(recommendation, resource)
  const about = {
    ruleId: recommendation.ruleId,
    category: recommendation.category,
    template,
    facts: factsFor(resource, account),
  }
  const found = needs.workflows(orgId).filter((policy) => policy.fits(about))
  const plan = planOf(recommendation, resource, {
    fourEyes: found.some(({ spec }) => spec.fourEyes === true),
    windows: found.flatMap(({ spec }) => spec.window ?? []),
    policies: found.map(({ id }) => id),
  })
  const { environment, guardrail } = needs.grounds(orgId, account, recommendation.resourceUid)
  const approvalsMin = guardrail.protectedEnvs.some((one) => one === environment) ? 2 : 1
  const steps = stepsFor(templates[template], found, approvalsMin)
  // A job of Dataflow that is drained does not come back.
  const isForGood = typeOf(resource.type)?.pauseReversible === false
  const reversible = ({ kind, reversible: is }: TemplateStep) => is && !(isForGood && kind === 'pause_service')
  return {
    plan,
    steps: steps.map((step) => ({ ...step, reversible: reversible(step), status: 'pending' as const })),
  }
}
