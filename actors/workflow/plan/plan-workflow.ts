/** Plans a workflow from a recommendation, the current state of its resource, and the organization's policies. */
import { typeOf } from '#streams/cloud/resource/resource-type.ts'
import { stepsFor } from '#actors/workflow/custom/custom.ts'
import type { WorkflowStep, WorkflowJob } from '#actors/workflow/entity.ts'
import { factsFor, type PlanningNeeds, type ResourceFacts } from '#actors/workflow/needs.ts'
import { planOf, templateOf, type RecommendationFacts } from './plan.ts'
import { templates, type TemplateStep } from './template.ts'

/** The plan and steps of a workflow that starts now; the preview shows the same. Pure. */
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
  // A drained Dataflow job cannot be resumed.
  const isForGood = typeOf(resource.type)?.pauseReversible === false
  const reversible = ({ kind, reversible: is }: TemplateStep) => is && !(isForGood && kind === 'pause_service')
  return {
    plan,
    steps: steps.map((step) => ({ ...step, reversible: reversible(step), status: 'pending' as const })),
  }
}
