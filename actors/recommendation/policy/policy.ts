/**
 * Policies of domains `recommendation` and `governance`: where rules apply, with which parameters, and what the
 * organization allows.
 */
import { policiesMax, type PolicyDomain, type SpecError } from '#actors/capability.ts'
import { resourceAttrs, Selector, selectorErrors } from '#actors/policy/selector.ts'
import { t, type Static } from '#engine/value/schema.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { categories, sweepWanted } from '#streams/recommendation.ts'
import { text } from '#streams/text.ts'
import { GovernanceSpec, governanceErrors, governanceExample } from './governance.ts'
import { ruleOf } from '#actors/recommendation/rule/catalogue.ts'

export const RuleSpec = t.Object({
  ruleId: t.Optional(text({ maxLength: 16, description: 'rule ID from the catalogue; alternatively set a category' })),
  category: t.Optional(t.Enum(categories)),
  enabled: t.Optional(t.Boolean({ description: 'false: turns the rules off' })),
  params: t.Optional(
    t.Record(text({ minLength: 1, maxLength: 64 }), t.Union([t.Number(), text({ maxLength: 256 })]), {
      maxProperties: 20,
      description: 'parameter values that replace the defaults of the rule; only together with ruleId',
    }),
  ),
  selector: t.Optional(Selector),
})
export type RuleSpec = Static<typeof RuleSpec>

const requestSweep = (change: RecordChange): Promise<void> => change.tell(sweepWanted, { why: 'policy' })

export const recommendationDomain: PolicyDomain = {
  name: 'recommendation',
  summary: 'Turns rules off or changes their parameters, for all or selected resources.',
  schema: RuleSpec,
  examples: [
    {
      ruleId: 'RC-1001',
      params: { cpu_max_percent: 8 },
      selector: { all: [{ attr: 'res.tags.env', op: 'in', values: ['dev'] }] },
    },
    { category: 'governance', enabled: false },
  ],
  max: policiesMax,
  attrs: resourceAttrs,
  check: (spec: RuleSpec) => [
    ...ruleErrors(spec),
    ...(spec.selector ? selectorErrors(spec.selector, resourceAttrs) : []),
  ],
  changed: requestSweep,
}

function ruleErrors({ ruleId, category, enabled, params }: RuleSpec): SpecError[] {
  if ((ruleId === undefined) === (category === undefined))
    return [{ path: '/ruleId', code: 'required', message: 'must have either ruleId or category, not both' }]
  if (enabled === undefined && params === undefined)
    return [{ path: '/enabled', code: 'required', message: 'must have enabled, params or both' }]
  if (ruleId === undefined)
    return params === undefined
      ? []
      : [{ path: '/params', code: 'needless', message: 'can only be set together with ruleId' }]
  const rule = ruleOf(ruleId)
  if (!rule) return [{ path: '/ruleId', code: 'unknown', message: 'is not a rule in the catalogue' }]
  return Object.entries(params ?? {}).flatMap(([name, value]) => {
    const own = rule.params[name]
    const path = `/params/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (own === undefined)
      return [
        { path, code: 'unknown', message: `is not a parameter of the rule; its parameters: ${namesOf(rule.params)}` },
      ]
    if (typeof own !== typeof value) return [{ path, code: 'type', message: `must be a ${typeof own}` }]
    if (typeof own === 'number' && typeof value === 'number' && own >= 0 && value < 0)
      return [{ path, code: 'minimum', message: 'must be >= 0' }]
    return []
  })
}

const namesOf = (params: object): string => Object.keys(params).join(', ') || 'none'

export const governanceDomain: PolicyDomain = {
  name: 'governance',
  summary:
    'Defines the environments, business hours, tags, regions and instance types that the organization allows. One per organization.',
  schema: GovernanceSpec,
  examples: [governanceExample],
  max: 1,
  attrs: [],
  check: (spec: GovernanceSpec) => governanceErrors(spec),
  changed: requestSweep,
}
