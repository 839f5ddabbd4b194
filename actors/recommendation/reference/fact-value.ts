import type { Fact, PricedResource } from '#actors/recommendation/rule/contract.ts'

/** A fact of the resource as a number; undefined if it is none. */
export function numberAt(of: PricedResource, path: string): number | undefined {
  const fact = of.source(path)
  return typeof fact === 'number' ? fact : undefined
}

export function textAt(of: PricedResource, path: string): string | undefined {
  const fact = of.source(path)
  return typeof fact === 'string' && fact !== '' ? fact : undefined
}

/** The needed amount of a dimension; if unknown, the present one. */
export const leastOf = (need: Readonly<Record<string, Fact>>, key: string, present: number): number => {
  const said = need[key]
  return typeof said === 'number' ? said : present
}

/** vCPUs in use at the peak of the last 14 days; 0 if unknown. */
export const peakOf = (vcpus: number, of: PricedResource): number =>
  (vcpus * (numberAt(of, 'metric.cpu_percent.max.14d') ?? 0)) / 100
