/** The catalogue of rules (decision G-67). */
import type { EntityManager } from '@mikro-orm/postgresql'
import { Policy } from '#actors/policy/entity.ts'
import { recommendationDomain, type RuleSpec } from '#actors/recommendation/policy/policy.ts'
import { allRules } from '#actors/recommendation/rule/catalogue.ts'
import type { Rule } from '#actors/recommendation/rule/contract.ts'
import { reaches, reachOf, type RuleReach } from '#actors/recommendation/rule/reach.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { list, toPage, pageOf, slice } from '#http/edge/parameter/paging.ts'
import { route, type Route } from '#http/edge/route.ts'
import { severitiesShown, sizeDefault, sizeMax } from '#http/recommendation/body.ts'
import { pageOfTwice, twiceNamed } from '#http/tagging/sight.ts'
import { providers } from '#streams/names.ts'
import { actionTypes, categories, effects } from '#streams/recommendation.ts'

/** `any`: rules for resources of all clouds. */
const ruleProviders = [...providers, 'any'] as const

const RuleView = t.Object(
  {
    ruleId: t.String(),
    title: t.String(),
    provider: t.Enum(ruleProviders),
    category: t.Enum(categories),
    titleTemplate: t.String({ description: 'titles of its recommendations, with fact names in braces' }),
    description: t.String(),
    remediation: t.String(),
    resourceTypes: t.Array(t.String(), { description: 'aws-* covers all types of a provider' }),
    severity: t.Optional(t.Enum(severitiesShown, { description: 'for risks; absent if the rule is about savings' })),
    confidence: t.Enum(['high', 'medium', 'low']),
    actionType: t.Enum(actionTypes),
    effect: t.Enum(effects, { description: 'what applying it disrupts' }),
    destructive: t.Boolean(),
    automation: t.Enum(['executor', 'pause_service', 'api', 'manual']),
    params: t.Record(t.String(), t.Union([t.Number(), t.String()]), {
      description: 'parameters that a policy of domain recommendation can override',
    }),
    metrics: t.Array(t.String(), { description: 'metrics that it reads: name, aggregate and days' }),
    reach: t.Enum(reaches, {
      description:
        'real: it can fire on connected accounts; simulated: only in the simulated cloud; fed: only with data that producers send',
    }),
    reachMissing: t.Array(t.String(), {
      description: 'facts that the connector does not find; empty if reach is real',
    }),
    predicate: t.Unknown({ description: 'condition' }),
    savings: t.Unknown({ description: 'how savings are computed' }),
    overridden: t.Boolean({ description: 'a policy of the organization disables it or overrides its parameters' }),
    retired: t.Boolean({ description: 'no longer applied' }),
  },
  {
    title: 'RecommendationRule',
    examples: [
      {
        ruleId: 'RC-1001',
        title: 'Idle EC2 instance',
        provider: 'aws',
        category: 'idle',
        titleTemplate: 'Stop EC2 instance {name}.',
        description: 'Its CPU has been idle for two weeks.',
        remediation: 'Stop the instance, or delete it with its disks.',
        resourceTypes: ['aws-ec2'],
        severity: 'high',
        confidence: 'high',
        actionType: 'stop',
        effect: 'outage',
        destructive: false,
        automation: 'executor',
        params: { cpu_percent: 5 },
        metrics: ['cpu_percent'],
        reach: 'real',
        reachMissing: [],
        predicate: { all: [{ metric: 'cpu_percent', stat: 'p95', op: 'lt', param: 'cpu_percent' }] },
        savings: { share: 1 },
        overridden: false,
        retired: false,
      },
    ],
  },
)

export type RuleView = Static<typeof RuleView>

const showReach = (rule: Rule) => {
  const { reach, missing } = reachOf(rule)
  return { reach, reachMissing: [...missing] }
}

const show = (rule: Rule, isOverridden: boolean): RuleView => ({
  ruleId: rule.id,
  title: rule.name,
  provider: rule.provider,
  category: rule.category,
  titleTemplate: rule.title,
  description: rule.description,
  remediation: rule.remediation,
  resourceTypes: [...rule.applies.types],
  ...(rule.severity.mode === 'risk' && { severity: rule.severity.level }),
  confidence: rule.confidence,
  actionType: rule.action.type,
  effect: rule.action.effect,
  destructive: rule.action.destructive,
  automation: rule.action.automation,
  params: { ...rule.params },
  metrics: [...rule.needs.metrics],
  ...showReach(rule),
  predicate: rule.when,
  savings: rule.saving,
  overridden: isOverridden,
  retired: false,
})

const isOf = ({ id, category }: Rule, spec: RuleSpec): boolean => spec.ruleId === id || spec.category === category

async function overrides(em: EntityManager, orgId: string): Promise<RuleSpec[]> {
  const found = await em.find(Policy, { orgId, domain: recommendationDomain.name, enabled: true })
  return found.map(({ spec }) => spec as RuleSpec)
}

/** Number of rules by provider. */
function countsOf(all: readonly Rule[]) {
  const of = (provider: Rule['provider']) => all.filter((rule) => rule.provider === provider).length
  return { aws: of('aws'), gcp: of('gcp'), azure: of('azure'), any: of('any'), total: all.length }
}

interface RuleFilter {
  provider?: Rule['provider'][]
  category?: Rule['category'][]
  reach?: RuleReach[]
  search?: string
}

/** In the order of the catalogue. */
export function matching(all: readonly Rule[], { provider, category, reach, search }: RuleFilter): Rule[] {
  const wanted = search?.toLowerCase() ?? ''
  return all.filter(
    (rule) =>
      (!provider?.length || provider.includes(rule.provider)) &&
      (!category?.length || category.includes(rule.category)) &&
      (!reach?.length || reach.includes(reachOf(rule).reach)) &&
      [rule.id, rule.name].some((text) => text.toLowerCase().includes(wanted)),
  )
}

const count = t.Integer({ minimum: 0 })
const { properties: page } = pageOf(RuleView)

export const ruleCatalogs: readonly Route[] = [
  route({
    method: 'GET',
    path: '/recommendations/rule-catalog',
    summary: 'List all recommendation rules',
    description: 'counts cover all rules, regardless of filters.',
    permission: 'service.view',
    tags: ['Recommendations'],
    query: t.Object({
      provider: t.Optional(list(t.Enum(ruleProviders, { alias: true }))),
      category: t.Optional(list(t.Enum(categories))),
      reach: t.Optional(list(t.Enum(reaches), { description: 'only rules with this reach' })),
      search: t.Optional(t.String({ maxLength: 256, description: 'part of the ID or the title, case-insensitive' })),
      ...twiceNamed(sizeDefault, sizeMax),
    }),
    reply: t.Object({
      ...page,
      counts: t.Object(
        { aws: count, gcp: count, azure: count, any: count, total: count },
        {
          description: 'any: for resources of all providers',
          examples: [{ aws: 180, gcp: 62, azure: 78, any: 17, total: 337 }],
        },
      ),
    }),
    handle: async ({ caller, query }, { em }) => {
      const asked = pageOfTwice(query, sizeDefault)
      const { offset, limit } = slice(asked)
      const found = matching(allRules(), query)
      const specs = await overrides(em, caller.orgId)
      const items = found.slice(offset, offset + limit).map((rule) =>
        show(
          rule,
          specs.some((spec) => isOf(rule, spec)),
        ),
      )
      return { ...toPage({ items, total: found.length }, asked), counts: countsOf(allRules()) }
    },
  }),
]
