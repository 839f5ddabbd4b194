/**
 * Previews what a tagging policy would do, and shows what one has done, in resources and US dollars. Nothing is stored.
 */
import { foundPolicy } from '#actors/policy/queries.ts'
import { Policy } from '#actors/policy/entity.ts'
import { compileRules, type TaggingRule } from '#actors/tagging/policy/derive.ts'
import { derivedBy, inventory, type Item } from '#actors/tagging/policy/inventory.ts'
import { taggingDomain } from '#actors/tagging/policy/policy.ts'
import { resourceCostSums } from '#analytics/tagging/questions.ts'
import { dayMs, dayOf } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import { t, type Static } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import type { Services } from '#http/edge/services.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { checkSpec } from '#http/policy/spec.ts'
import { costQuestion, scopeOf } from '#http/report/filter/filter.ts'
import { units, usd } from '#streams/figure.ts'
import { text } from '#streams/text.ts'

/** Days of costs, including today. */
const days = 30

/** A key of account and uid. */
const placeOf = (cloudAccountId: string, uid: string): string => `${cloudAccountId}\0${uid}`

/** Costs of resources in 10^-14 US dollars, as far as the caller may see them. */
async function costs(caller: Caller, { stream, settings, now }: Services): Promise<Map<string, bigint>> {
  const today = now()
  const range = { fromDay: dayOf(new Date(today.getTime() - (days - 1) * dayMs)), toDay: dayOf(today) }
  const found = new Map<string, bigint>()
  const rows = stream(resourceCostSums, costQuestion(caller, {}, range, { settings, now }))
  for await (const [account, uid, cost] of rows as AsyncIterable<[string, string, string]>)
    found.set(placeOf(account, uid), units(cost))
  return found
}

const valuesDefault = 100
const valuesMax = 1000
const sampleMax = 20

const Preview = t.Object({
  matched: t.Integer({ description: 'number of resources that match the selector' }),
  tagged: t.Integer({ description: 'of these, number of resources that get a value' }),
  values: t.Array(t.Object({ value: t.String(), resources: t.Integer(), costUsd30d: t.Number() }), {
    description: 'the top values by cost, up to limit',
  }),
  valueCount: t.Integer({ description: 'number of distinct values, shown or not' }),
  overriddenByCloud: t.Integer({
    description: 'number of tagged resources whose cloud has a tag with the key, which takes precedence',
  }),
  conflicts: t.Array(t.Object({ policyID: t.String(), key: t.String(), resources: t.Integer() }), {
    description: 'older enabled policies that give tagged resources the same key and take precedence',
  }),
  sample: t.Array(t.Object({ resourceUid: t.String(), resourceName: t.String(), value: t.String() }), {
    description: `the first ${sampleMax} tagged resources`,
  }),
})

const PreviewBody = t.Object(
  {
    spec: t.Unknown({ shapes: [taggingDomain.schema], description: 'of a tagging policy' }),
    policyID: t.Optional(
      text({
        minLength: 1,
        maxLength: 64,
        description: 'the policy to preview the spec for; default: a new policy',
      }),
    ),
    limit: t.Optional(
      t.Integer({ minimum: 1, maximum: valuesMax, description: `number of values to show, default ${valuesDefault}` }),
    ),
  },
  { examples: [{ spec: taggingDomain.examples[0] }] },
)

/** Collects the results. */
class Outcome {
  private readonly rule: TaggingRule
  private readonly older: readonly TaggingRule[]
  private readonly tagged: { place: string; value: string }[] = []
  private readonly conflicts = new Map<string, number>()
  private readonly sample: Static<typeof Preview>['sample'] = []
  private matched = 0
  private overriddenByCloud = 0

  /** `older`: policies for the same key that take precedence, in their order. */
  constructor(rule: TaggingRule, older: readonly TaggingRule[]) {
    this.rule = rule
    this.older = older
  }

  add({ cloudAccountId, uid, name, facts }: Item): void {
    const { rule, older, conflicts, sample } = this
    if (!rule.matches(facts)) return
    this.matched++
    const value = rule.value(facts)
    if (value === '') return
    this.tagged.push({ place: placeOf(cloudAccountId, uid), value })
    if (Object.hasOwn(facts.tags, rule.key)) this.overriddenByCloud++
    const before = older.find((one) => one.matches(facts) && one.value(facts) !== '')
    if (before) conflicts.set(before.policyId, (conflicts.get(before.policyId) ?? 0) + 1)
    if (sample.length < sampleMax) sample.push({ resourceUid: uid, resourceName: name, value })
  }

  shown(costOf: ReadonlyMap<string, bigint>, limit: number): Static<typeof Preview> {
    const values = new Map<string, { resources: number; cost: bigint }>()
    for (const { place, value } of this.tagged) {
      const sum = values.get(value) ?? { resources: 0, cost: 0n }
      values.set(value, sum)
      sum.resources++
      sum.cost += costOf.get(place) ?? 0n
    }
    const dearest = [...values].toSorted(
      ([v, a], [w, b]) => Number(b.cost > a.cost) - Number(b.cost < a.cost) || (v < w ? -1 : 1),
    )
    return {
      matched: this.matched,
      tagged: this.tagged.length,
      values: dearest
        .slice(0, limit)
        .map(([value, { resources, cost }]) => ({ value, resources, costUsd30d: usd(cost) })),
      valueCount: values.size,
      overriddenByCloud: this.overriddenByCloud,
      conflicts: this.older.flatMap(({ policyId: policyID, key }) => {
        const resources = this.conflicts.get(policyID)
        return resources === undefined ? [] : [{ policyID, key, resources }]
      }),
      sample: this.sample,
    }
  }
}

/** The enabled policies that take precedence over a policy; for a new policy, all. @throws Fault `missing` */
async function olderRules(
  em: Services['em'],
  orgId: string,
  policyId: string | undefined,
): Promise<readonly TaggingRule[]> {
  const before = policyId === undefined ? undefined : await foundTagging(em, orgId, policyId)
  const where = { orgId, domain: taggingDomain.name, enabled: true }
  const all = await em.find(Policy, where, { orderBy: { createdAt: 'asc', id: 'asc' } })
  const isOlder = ({ createdAt, id }: Policy) =>
    before === undefined ||
    createdAt < before.createdAt ||
    (createdAt.getTime() === before.createdAt.getTime() && id < before.id)
  return compileRules(all.filter(isOlder))
}

async function foundTagging(em: Services['em'], orgId: string, id: string): Promise<Policy> {
  const policy = await foundPolicy(em, orgId, id)
  if (policy.domain !== taggingDomain.name) throw Fault.missing('tagging policy', id)
  return policy
}

async function preview(
  { spec, policyID, limit = valuesDefault }: Static<typeof PreviewBody>,
  caller: Caller,
  services: Services,
): Promise<Static<typeof Preview>> {
  const { em } = services
  await checkSpec(taggingDomain, spec, em, caller.orgId)
  const [rule] = compileRules([{ id: '', spec }])
  const older = await olderRules(em, caller.orgId, policyID)
  const before = older.filter(({ key }) => key === rule!.key)
  const outcome = new Outcome(rule!, before)
  const tag = [rule!, ...before].some(({ asksTags }) => asksTags) ? undefined : rule!.key
  const reading = async () => {
    for await (const page of inventory(em, caller.orgId, scopeOf(caller).scope, tag))
      for (const one of page) outcome.add(one)
  }
  const [costOf] = await Promise.all([costs(caller, services), reading()])
  return outcome.shown(costOf, limit)
}

const Coverage = t.Object({
  matched: t.Integer({ description: 'number of resources that its selector matches now' }),
  derived: t.Integer({
    description: 'number of resources with its tag as of their last evaluation, accepted or pending',
  }),
  accepted: t.Integer(),
  pending: t.Integer(),
  costUsd30d: t.Object({ derived: t.Number(), accepted: t.Number(), pending: t.Number() }),
})

/** A policy that is disabled or cannot be applied matches nothing. */
async function matchedBy({ id, spec, enabled }: Policy, caller: Caller, em: Services['em']): Promise<number> {
  const [rule] = enabled ? compileRules([{ id, spec }]) : []
  let matched = 0
  if (!rule) return matched
  for await (const page of inventory(em, caller.orgId, scopeOf(caller).scope, rule.asksTags ? undefined : rule.key))
    matched += page.filter(({ facts }) => rule.matches(facts)).length
  return matched
}

async function coverage(id: string, caller: Caller, services: Services): Promise<Static<typeof Coverage>> {
  const { em } = services
  const policy = await foundTagging(em, caller.orgId, id)
  const [matched, items, costOf] = await Promise.all([
    matchedBy(policy, caller, em),
    derivedBy(em, caller.orgId, scopeOf(caller).scope, id),
    costs(caller, services),
  ])
  const sumOf = (some: typeof items) =>
    usd(some.reduce((sum, { cloudAccountId, uid }) => sum + (costOf.get(placeOf(cloudAccountId, uid)) ?? 0n), 0n))
  const accepted = items.filter(({ isAccepted }) => isAccepted)
  const pending = items.filter(({ isAccepted }) => !isAccepted)
  return {
    matched,
    derived: items.length,
    accepted: accepted.length,
    pending: pending.length,
    costUsd30d: { derived: sumOf(items), accepted: sumOf(accepted), pending: sumOf(pending) },
  }
}

const routeBase = { permission: 'service.view', tags: ['Tagging'] } as const

export const taggingPreviews: readonly Route[] = [
  route({
    ...routeBase,
    method: 'POST',
    path: '/tagging/policies/preview',
    readOnly: true,
    summary: 'Preview a tagging policy; nothing is stored',
    description: `Costs are those of the last ${days} days, today included, as in reports.`,
    body: PreviewBody,
    reply: Preview,
    example: {
      matched: 120,
      tagged: 120,
      values: [{ value: 'us-east-1', resources: 120, costUsd30d: 1840.25 }],
      valueCount: 1,
      overriddenByCloud: 0,
      conflicts: [],
      sample: [{ resourceUid: 'i-0a1b2c3d4e5f60718', resourceName: 'shop-prod-web-1', value: 'us-east-1' }],
    },
    refuses: { 404: ['not_found'], 422: ['report_too_large'] },
    handle: ({ caller, body }, services) => preview(body, caller, services),
  }),

  route({
    ...routeBase,
    method: 'GET',
    path: '/tagging/policies/:policyID/coverage',
    summary: 'Get the results of a tagging policy',
    description: `Costs are those of the last ${days} days, today included, as in reports.`,
    params: t.Object({ policyID: t.String({ description: 'as in GET /policies' }) }),
    reply: Coverage,
    example: {
      matched: 120,
      derived: 120,
      accepted: 80,
      pending: 40,
      costUsd30d: { derived: 1840.25, accepted: 1420.25, pending: 420 },
    },
    refuses: { 404: ['not_found'], 422: ['report_too_large'] },
    handle: ({ caller, params: { policyID } }, services) => coverage(policyID, caller, services),
  }),
]
