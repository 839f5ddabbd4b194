/** The plan of a workflow, for people who have to approve it. */
import { operationText } from '#actors/workflow/plan/describe.ts'
import type { WorkflowPlan, Sight } from '#actors/workflow/entity.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { ProviderName } from '#http/edge/parameter/field.ts'
import { cents } from '#streams/figure.ts'
import { ChangeWindow, plannedKinds } from '#streams/workflow.ts'

const specs = t.Record(t.String(), t.Unknown())

/** The status is missing if it is unknown or changing. */
export const SightShown = t.Object(
  {
    exists: t.Boolean(),
    status: t.Optional(t.Enum(['running', 'stopped'])),
    instanceType: t.Optional(t.String()),
  },
  { description: 'the resource at planning time; absent from older plans' },
)

export const showSight = ({ exists = true, status, instanceType }: Sight): Static<typeof SightShown> => ({
  exists,
  ...((status === 'running' || status === 'stopped') && { status }),
  ...(instanceType !== undefined && { instanceType }),
})

export const PlanShown = t.Object(
  {
    title: t.String(),
    operation: t.String({ description: 'what is executed, in order, with its target' }),
    ruleId: t.String(),
    actionType: t.String(),
    resource: t.Object({
      uid: t.String(),
      name: t.String(),
      type: t.String(),
      provider: ProviderName,
      region: t.String(),
    }),
    operations: t.Array(
      t.Object({
        kind: t.Enum(plannedKinds),
        size: t.Optional(t.String({ description: 'for resize: the new size' })),
        specs: t.Optional(specs),
      }),
      { description: 'in order; none if people do it' },
    ),
    targetSpec: t.Optional(specs),
    was: t.Optional(SightShown),
    instruction: t.Optional(t.String({ description: 'for template manual: instructions for people' })),
    estimate: t.Object(
      { costUsd: t.Number(), savingsUsd: t.Number() },
      { description: 'cost of the resource and potential savings; US dollars for 30 days' },
    ),
    fourEyes: t.Boolean({ description: 'the person who started it may not approve it' }),
    windows: t.Array(ChangeWindow, { description: 'executed within each of these windows' }),
    policies: t.Array(t.String(), { description: 'IDs of the policies that added to it' }),
  },
  { title: 'WorkflowPlan' },
)

/** US dollars for 30 days, rounded to cents. */
export const estimateOf = ({ estimate: { costUsd, savingsUsd } }: WorkflowPlan) => ({
  costUsd: cents(costUsd),
  savingsUsd: cents(savingsUsd),
})

export const showPlan = (plan: WorkflowPlan): Static<typeof PlanShown> => ({
  title: plan.title,
  operation: operationText(plan),
  ruleId: plan.ruleId,
  actionType: plan.actionType,
  resource: plan.resource,
  operations: plan.ops.map(({ kind, size, specs: given }) => ({
    kind,
    ...(size !== undefined && { size }),
    ...(given !== undefined && { specs: given }),
  })),
  ...(plan.targetSpec && { targetSpec: plan.targetSpec }),
  ...(plan.was && { was: showSight(plan.was) }),
  ...(plan.instruction && { instruction: plan.instruction }),
  estimate: estimateOf(plan),
  fourEyes: plan.fourEyes,
  windows: plan.windows,
  policies: plan.policies,
})
