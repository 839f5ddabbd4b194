import type { Fact, PricedResource, References } from '#actors/recommendation/rule/contract.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'

/** The product's own tables; they are worked out once. */
export const tables = new ReferenceTables()

export const references: References = tables.at({ now: new Date('2026-11-23T10:00:00Z'), families: [] })

export const fit: References['fit'] = (...all) => references.fit(...all)
export const fact: References['fact'] = (...all) => references.fact(...all)
export const lookup: References['lookup'] = (...all) => references.lookup(...all)
export const price: References['price'] = (...all) => references.price(...all)
export const tierRates: References['tierRates'] = (...all) => references.tierRates(...all)

/** A resource with these facts and no others. */
export const priced = (
  type: string,
  instanceType: string,
  facts: Readonly<Record<string, Fact>> = {},
  region = { aws: 'us-east-1', gcp: 'us-central1', azure: 'eastus' }[type.split('-')[0]!]!,
): PricedResource => ({
  type,
  provider: type.split('-')[0]!,
  region,
  instanceType,
  source: (path) => facts[path],
})
