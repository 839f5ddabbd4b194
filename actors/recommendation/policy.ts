/** Policies of domains `recommendation` and `governance`: which rules apply to what, by which figures, and what the organization allows. */
import { policiesMax, type PolicyDomain, type SpecError } from '#actors/capability.ts'
import { resourceAttrs, Selector, selectorErrors } from '#actors/policy/selector.ts'
import { t, type Static } from '#engine/schema.ts'
import type { Change } from '#engine/tell.ts'
import { categories, sweepWanted } from '#streams/recommendation.ts'
import { text } from '#streams/text.ts'
import { GovernanceSpec, governanceErrors, governanceExample } from './governance.ts'
import { ruleOf } from './rule/catalogue.ts'

export const RuleSpec = t.Object({
  ruleId: t.Optional(text({ maxLength: 16, description: 'of the catalogue; or a category' })),
  category: t.Optional(t.Enum(categories)),
  enabled: t.Optional(t.Boolean({ description: 'false: the rules are not applied' })),
  params: t.Optional(
    t.Record(text({ minLength: 1, maxLength: 64 }), t.Union([t.Number(), text({ maxLength: 256 })]), {
      maxProperties: 20,
      description: 'figures of the rule in place of its own; with a ruleId only',
    }),
  ),
  selector: t.Optional(Selector),
})
export type RuleSpec = Static<typeof RuleSpec>

const changed = (change: Change): Promise<void> => change.tell(sweepWanted, { why: 'policy' })

export const recommendationDomain: PolicyDomain = {
  name: 'recommendation',
  summary: 'Turns rules off, or gives them other figures, for all resources or some.',
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
  changed,
}

function ruleErrors({ ruleId, category, enabled, params }: RuleSpec): SpecError[] {
  if ((ruleId === undefined) === (category === undefined))
    return [{ path: '/ruleId', code: 'required', message: 'a rule or a category, and not both' }]
  if (enabled === undefined && params === undefined)
    return [{ path: '/enabled', code: 'required', message: 'enabled, params or both' }]
  if (ruleId === undefined)
    return params === undefined ? [] : [{ path: '/params', code: 'needless', message: 'a category has no figures' }]
  const rule = ruleOf(ruleId)
  if (!rule) return [{ path: '/ruleId', code: 'unknown', message: 'there is no such rule' }]
  return Object.entries(params ?? {}).flatMap(([name, value]) => {
    const own = rule.params[name]
    const path = `/params/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`
    if (own === undefined) return [{ path, code: 'unknown', message: `the rule has ${namesOf(rule.params)}` }]
    if (typeof own !== typeof value) return [{ path, code: 'type', message: `must be a ${typeof own}` }]
    if (typeof own === 'number' && typeof value === 'number' && own >= 0 && value < 0)
      return [{ path, code: 'minimum', message: 'must be >= 0' }]
    return []
  })
}

const namesOf = (params: object): string => Object.keys(params).join(', ') || 'no figures'

export const governanceDomain: PolicyDomain = {
  name: 'governance',
  summary: 'Says which environments, hours, tags, regions and sizes the organization allows; one.',
  schema: GovernanceSpec,
  examples: [governanceExample],
  max: 1,
  attrs: [],
  check: (spec: GovernanceSpec) => governanceErrors(spec),
  changed,
}
