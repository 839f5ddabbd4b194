/** Policies of domain `shared-cost`: which costs are distributed to teams, and how. */
import type { EntityManager } from '@mikro-orm/postgresql'
import { begunRule } from '#actors/attribution/change.ts'
import { policiesMax, type PolicyDomain, type SpecError } from '#actors/capability.ts'
import { accountAttrs, accountsFor, byAccount } from '#actors/policy/account-condition.ts'
import { compileCondition, lineAttrs, Selector, selectorErrors } from '#actors/policy/selector.ts'
import { sharedCostChanged } from '#streams/attribution.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { text } from '#streams/text.ts'
import { Team } from '#actors/attribution/team/entity.ts'

const teamId = text({ minLength: 1, maxLength: 64 })
const teamsMax = 500

/** Percents by team, with up to four decimals. */
const Percents = t.Record(teamId, t.Number({ minimum: 0, maximum: 100 }), {
  maxProperties: teamsMax,
  description: 'percentages by team ID, with up to four decimal places; must add up to 100',
})

export const SharedCostSpec = t.Object({
  selector: Selector,
  among: t.Optional(
    t.Union([t.Literal('all'), t.Array(teamId, { minItems: 1, maxItems: teamsMax })], {
      description: 'teams that receive a share; default all, or with fixed the teams it lists',
    }),
  ),
  method: t.Union(
    [t.Enum(['even', 'proportional', 'fixed']), t.Object({ fixed: Percents }, { title: 'FixedShares' })],
    {
      description:
        'even: equal shares; proportional: by the direct costs of each team in the month; fixed: by percentages',
    },
  ),
  fixed: t.Optional(Percents),
  cost: t.Optional(
    t.Enum(['billed', 'effective', 'contracted', 'list'], {
      description: 'cost type used to compare direct costs when the method is proportional; default billed',
    }),
  ),
})
export type SharedCostSpec = Static<typeof SharedCostSpec>

/** How costs are distributed. Percents are in ten-thousandths; an empty `among` means all teams. */
export interface Sharing {
  method: 'even' | 'proportional' | 'fixed'
  among: readonly string[]
  percents: readonly { teamId: string; weight: number }[]
}

/** The normalized form of a spec, whose `fixed` has two forms. */
function sharingOf(spec: SharedCostSpec): Sharing {
  const { method, among = 'all' } = spec
  return {
    method: typeof method === 'object' ? 'fixed' : method,
    among: among === 'all' ? [] : [...new Set(among)].toSorted(),
    percents: Object.entries(percentsOf(spec))
      .map(([id, percent]) => ({ teamId: id, weight: Math.round(percent * 10_000) }))
      .filter(({ weight }) => weight > 0),
  }
}

const percentsOf = ({ method, fixed }: SharedCostSpec): Static<typeof Percents> =>
  typeof method === 'object' ? method.fixed : method === 'fixed' ? (fixed ?? {}) : {}

const hundred = 1_000_000

function percentErrors(spec: SharedCostSpec, at: string): SpecError[] {
  const errors: SpecError[] = []
  if (spec.fixed !== undefined && spec.method !== 'fixed')
    errors.push({ path: '/fixed', code: 'unexpected', message: 'can only be used with the method fixed' })
  for (const [id, percent] of Object.entries(percentsOf(spec)))
    if (Number(percent.toFixed(4)) !== percent)
      errors.push({ path: `${at}/${step(id)}`, code: 'places', message: 'must have at most four decimal places' })
  const { method, percents } = sharingOf(spec)
  if (method === 'fixed' && percents.reduce((sum, { weight }) => sum + weight, 0) !== hundred)
    errors.push({ path: at, code: 'sum', message: 'must add up to 100 percent' })
  return errors
}

const step = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1')

const attrs = [...lineAttrs, ...accountAttrs] as const

/** Replaces conditions on accounts of a cloud organization by the accounts that meet them now. */
export async function accountedSpec(spec: SharedCostSpec, em: EntityManager, orgId: string): Promise<SharedCostSpec> {
  const { selector } = spec
  return { ...spec, selector: byAccount(selector, await accountsFor(em, orgId, [selector])) }
}

async function check(spec: SharedCostSpec, em: EntityManager, orgId: string): Promise<SpecError[]> {
  const errors = selectorErrors(spec.selector, attrs)
  if (spec.selector.all.length === 0)
    errors.push({ path: '/selector/all', code: 'minItems', message: 'must have at least one condition' })
  const at = typeof spec.method === 'object' ? '/method/fixed' : '/fixed'
  errors.push(...percentErrors(spec, at))
  const named = [
    ...(Array.isArray(spec.among) ? spec.among.map((id, i) => ({ id, path: `/among/${i}` })) : []),
    ...Object.keys(percentsOf(spec)).map((id) => ({ id, path: `${at}/${step(id)}` })),
  ]
  const known = new Set((await em.find(Team, { orgId, id: { $in: named.map(({ id }) => id) } })).map(({ id }) => id))
  for (const { id, path } of named)
    if (!known.has(id)) errors.push({ path, code: 'unknown', message: 'is not a team in this organization' })
  return errors
}

export const sharedCostDomain: PolicyDomain = {
  name: 'shared-cost',
  summary: 'Takes matching costs from their current owners and splits them among teams.',
  schema: SharedCostSpec,
  examples: [
    {
      selector: { all: [{ attr: 'line.service', op: 'equals', values: ['AWS Support'] }] },
      among: 'all',
      method: 'proportional',
    },
  ],
  max: policiesMax,
  attrs,
  check,
  async changed(change, policy, isDeleted) {
    const at = await begunRule(change, 'shared')
    await change.tell(sharedCostChanged, {
      policyId: policy.id,
      spec: await accountedSpec(policy.spec as SharedCostSpec, change.em, change.orgId),
      enabled: policy.enabled && !isDeleted,
      createdAt: policy.createdAt.toISOString(),
      at: at.toISOString(),
    })
  },
}

/** The row of a rule that reports read. A published rule has the shape of its spec: nothing else is stored. */
export function ruleRow({ policyId, spec, enabled, createdAt }: Static<typeof sharedCostChanged.schema>) {
  const { selector } = spec as SharedCostSpec
  const { method, among, percents } = sharingOf(spec as SharedCostSpec)
  const conditions = selector.all.flatMap((condition) => compileCondition(condition, lineAttrs) ?? [])
  return {
    policy_id: policyId,
    enabled: Number(enabled),
    created_at: createdAt,
    facts: conditions.map(({ fact }) => fact),
    tag_keys: conditions.map(({ tag }) => tag),
    operators: conditions.map(({ op }) => op),
    values: conditions.map(({ values }) => [...values]),
    method,
    basis: `${(spec as SharedCostSpec).cost ?? 'billed'}_cost` as const,
    among: [...among],
    teams: percents.map(({ teamId }) => teamId),
    weights: percents.map(({ weight }) => weight),
  }
}
