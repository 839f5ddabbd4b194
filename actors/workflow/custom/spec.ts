/** The spec of a policy in domain `workflow`. */
import { Selector } from '#actors/policy/selector.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { categories } from '#streams/recommendation.ts'
import { text } from '#streams/text.ts'
import { ChangeWindow, plannedKinds, stepKinds, templateNames } from '#streams/workflow.ts'
import { stepsMax } from '#actors/workflow/plan/template.ts'

/** Maximum people that one approval can require. */
export const quorumMax = 3

const hours = (description: string) => t.Integer({ minimum: 1, maximum: 168, description })

const Match = t.Object(
  {
    categories: t.Optional(
      t.Array(t.Enum(categories), {
        minItems: 1,
        maxItems: categories.length,
        description: 'categories of recommendations',
      }),
    ),
    ruleIds: t.Optional(
      t.Array(text({ minLength: 1, maxLength: 16 }), {
        minItems: 1,
        maxItems: 200,
        description: 'rule IDs from the catalogue',
      }),
    ),
    templates: t.Optional(
      t.Array(t.Enum(templateNames.filter((name) => name !== 'start')), {
        minItems: 1,
        maxItems: templateNames.length - 1,
        description: 'workflow templates',
      }),
    ),
    selector: t.Optional(Selector),
  },
  { description: 'all conditions must match; default: every workflow' },
)

const CustomStep = t.Object({
  id: text({
    pattern: '^[a-z0-9][a-z0-9_/-]{0,63}$',
    maxLength: 64,
    description: 'permanent ID; steps of the template keep theirs',
  }),
  name: text({ minLength: 1, maxLength: 64 }),
  kind: t.Enum(stepKinds),
  op: t.Optional(
    t.Enum(plannedKinds, { description: 'only for execute and pause_service: the operation of the template' }),
  ),
  approvals: t.Optional(
    t.Integer({
      minimum: 1,
      maximum: quorumMax,
      description: 'only for an approval: number of people who must approve; default 1',
    }),
  ),
  expiresHours: t.Optional(hours('only for an approval: hours until it expires; default 168')),
  timeoutMinutes: t.Optional(
    t.Integer({ minimum: 1, maximum: 1440, description: 'only for validate: minutes to wait for the target state' }),
  ),
})
export type CustomStep = Static<typeof CustomStep>

export const WorkflowSpec = t.Object({
  match: t.Optional(Match),
  extraApprovals: t.Optional(
    t.Integer({ minimum: 0, maximum: 2, description: 'additional approvers; at most 3 in total' }),
  ),
  expiresHours: t.Optional(hours('hours until an approval expires; the shortest of all matching policies applies')),
  fourEyes: t.Optional(t.Boolean({ description: 'true: the person who started the workflow cannot approve it' })),
  window: t.Optional(ChangeWindow),
  template: t.Optional(t.Enum(templateNames, { description: 'template that the steps belong to' })),
  steps: t.Optional(
    t.Array(CustomStep, {
      minItems: 1,
      maxItems: stepsMax,
      description:
        'the steps of the template in their order, plus any approvals and preconditions added before its change',
    }),
  ),
})
export type WorkflowSpec = Static<typeof WorkflowSpec>
