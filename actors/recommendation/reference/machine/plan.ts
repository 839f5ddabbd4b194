/** Caches and App Service plans of Azure: named sizes of a tier. */
import type { Fact, PricedResource, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import { numberOf, rowsOf } from '#streams/cloud/reference/table.ts'
import { leastOf, textAt } from '#actors/recommendation/reference/fact-value.ts'

export interface MachinePlan {
  readonly catalogue: string
  readonly tier: string
  readonly name: string
  readonly vcpus: number | undefined
  readonly memoryGib: number
  /** US dollars per hour, or a relative price within the tier; undefined if neither is known. */
  readonly price: number | undefined
}

const plans: readonly MachinePlan[] = rowsOf('plan').map((row) => ({
  catalogue: row['catalogue']!,
  tier: row['tier']!,
  name: row['name']!,
  vcpus: numberOf(row['vcpus']),
  memoryGib: Number(row['memory_gib']),
  price: numberOf(row['usd_hour']) ?? numberOf(row['relative']),
}))

const isName = (plan: MachinePlan, name: string | undefined): boolean => plan.name.toLowerCase() === name?.toLowerCase()

/** The size of a cache is reported as `C1`, as 1, or as `Standard_C1` in the name of its size. */
function planOfRedis(of: PricedResource): MachinePlan | undefined {
  const [, sizeTier, sizeName] = /^(\w+)_([CP]\d)$/.exec(of.instanceType) ?? []
  const tier = textAt(of, 'specs.tier') ?? sizeTier
  const capacity = of.source('specs.capacity')
  const digit = typeof capacity === 'number' || typeof capacity === 'string' ? String(capacity) : sizeName
  if (tier === undefined || digit === undefined) return undefined
  const name = /^\d$/.test(digit) ? `${tier.toLowerCase() === 'premium' ? 'P' : 'C'}${digit}` : digit
  return plans.find(
    (plan) => plan.catalogue === 'azure-redis' && plan.tier.toLowerCase() === tier.toLowerCase() && isName(plan, name),
  )
}

const planOfService = (of: PricedResource): MachinePlan | undefined =>
  plans.find(
    (plan) => plan.catalogue === 'azure-appservice' && isName(plan, textAt(of, 'specs.sku') ?? of.instanceType),
  )

export const planOf = (of: PricedResource): MachinePlan | undefined =>
  of.type === 'azure-redis' ? planOfRedis(of) : planOfService(of)

/** The cheapest sufficient plan of the same tier; if prices are unknown, the smallest. */
export function fitPlan(need: Readonly<Record<string, Fact>>, of: PricedResource): TargetSpec | undefined {
  const now = planOf(of)
  if (!now) return undefined
  const vcpus = leastOf(need, 'vcpus', now.vcpus ?? 0)
  const memory = leastOf(need, 'memory_gib', now.memoryGib)
  const enough = plans.filter(
    (plan) =>
      plan.catalogue === now.catalogue &&
      plan.tier === now.tier &&
      plan.memoryGib + 1e-9 >= memory &&
      (plan.vcpus ?? 0) + 1e-9 >= vcpus,
  )
  const [best] = enough.sort((a, b) => costOf(a) - costOf(b) || a.memoryGib - b.memoryGib)
  return best && specOf(best, of)
}

/** Plans without a price come last. */
const costOf = ({ price }: MachinePlan): number => price ?? Number.MAX_VALUE

function specOf({ catalogue, name }: MachinePlan, of: PricedResource): TargetSpec {
  if (catalogue === 'azure-appservice') return { sku: name }
  const capacity = of.source('specs.capacity')
  const digit = name.slice(1)
  const said = typeof capacity === 'number' ? Number(digit) : /^\d$/.test(String(capacity)) ? digit : name
  return { capacity: said }
}

/** Price of the current plan, or of the target. */
export function planPrice(of: PricedResource, target: TargetSpec | undefined): number | undefined {
  const now = planOf(of)
  if (!target || !now) return now?.price
  const said = String(target['sku'] ?? target['capacity'])
  const name = /^\d$/.test(said) ? `${now.name[0]}${said}` : said
  return plans.find((plan) => plan.catalogue === now.catalogue && plan.tier === now.tier && isName(plan, name))?.price
}
