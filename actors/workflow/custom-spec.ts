/** What a policy of domain `workflow` says. */
import { Selector } from '#actors/policy/selector.ts'
import { t, type Static } from '#engine/schema.ts'
import { categories } from '#streams/recommendation.ts'
import { text } from '#streams/text.ts'
import { ChangeWindow, plannedKinds, stepKinds, templateNames } from '#streams/workflow.ts'
import { stepsMax } from './template.ts'

/** People that one approval may need. */
export const quorumMax = 3

const hours = (description: string) => t.Integer({ minimum: 1, maximum: 168, description })

const Match = t.Object(
  {
    categories: t.Optional(
      t.Array(t.Enum(categories), { minItems: 1, maxItems: categories.length, description: 'of the recommendation' }),
    ),
    ruleIds: t.Optional(
      t.Array(text({ minLength: 1, maxLength: 16 }), { minItems: 1, maxItems: 200, description: 'of the catalogue' }),
    ),
    templates: t.Optional(
      t.Array(t.Enum(templateNames.filter((name) => name !== 'start')), {
        minItems: 1,
        maxItems: templateNames.length - 1,
        description: 'what the workflow does',
      }),
    ),
    selector: t.Optional(Selector),
  },
  { description: 'all of it must hold; left out: everything' },
)

const CustomStep = t.Object({
  id: text({
    pattern: '^[a-z0-9][a-z0-9_/-]{0,63}$',
    maxLength: 64,
    description: 'for good; the template has its own',
  }),
  name: text({ minLength: 1, maxLength: 64 }),
  kind: t.Enum(stepKinds),
  op: t.Optional(t.Enum(plannedKinds, { description: 'of execute and pause_service: what the template does' })),
  approvals: t.Optional(
    t.Integer({ minimum: 1, maximum: quorumMax, description: 'of an approval: people who have to say yes; 1' }),
  ),
  expiresHours: t.Optional(hours('of an approval: how long it is waited for; 168')),
  timeoutMinutes: t.Optional(
    t.Integer({ minimum: 1, maximum: 1440, description: 'of validate: how long the target is looked for' }),
  ),
})
export type CustomStep = Static<typeof CustomStep>

export const WorkflowSpec = t.Object({
  match: t.Optional(Match),
  extraApprovals: t.Optional(
    t.Integer({ minimum: 0, maximum: 2, description: 'more people who have to say yes, 3 in all at most' }),
  ),
  expiresHours: t.Optional(hours('how long an approval is waited for; of several policies the shortest')),
  fourEyes: t.Optional(t.Boolean({ description: 'true: whoever starts a workflow may not approve it' })),
  window: t.Optional(ChangeWindow),
  template: t.Optional(t.Enum(templateNames, { description: 'whose steps are given' })),
  steps: t.Optional(
    t.Array(CustomStep, {
      minItems: 1,
      maxItems: stepsMax,
      description:
        'those of the template in their order, and approvals and preconditions that are added before its change',
    }),
  ),
})
export type WorkflowSpec = Static<typeof WorkflowSpec>
