/** Catalogues whose sizes are ordered numbers or names, each step at least as expensive as the one before. */
import type { Fact, PricedResource, TargetSpec } from '#actors/recommendation/rule/contract.ts'
import { rowsOf } from '#streams/cloud/reference/table.ts'
import { numberAt, textAt } from '#actors/recommendation/reference/fact-value.ts'

/** Steps by catalogue and variant. */
const steps: ReadonlyMap<string, readonly string[]> = new Map(
  rowsOf('step').map((row) => [`${row['catalogue']} ${row['variant']}`, row['steps']!.split(' ')]),
)

export interface StepSpecs {
  /** The spec with the size. */
  readonly dimension: string
  /** The spec with the variant of a size. */
  readonly variant: string
}

export const stepSpecs: Readonly<Record<string, StepSpecs>> = {
  fsx: { dimension: 'throughput_capacity', variant: 'specs.fs_type' },
  'azure-sql': { dimension: 'capacity', variant: 'specs.tier' },
  'azure-sql-pool': { dimension: 'capacity', variant: 'specs.tier' },
  'azure-sqlmi': { dimension: 'vcores', variant: 'specs.tier' },
}

/** The smallest sufficient step; the current one if no smaller one is sufficient. Undefined if anything is unknown. */
export function fitStep(
  catalogue: string,
  { dimension, variant }: StepSpecs,
  need: Readonly<Record<string, Fact>>,
  of: PricedResource,
): TargetSpec | undefined {
  const kind = textAt(of, variant)
  const known = kind === undefined ? undefined : steps.get(`${catalogue} ${kind}`)?.map(Number)
  const now = numberAt(of, `specs.${dimension}`)
  if (!known || now === undefined || !known.includes(now)) return undefined
  const least = need[dimension]
  const enough = typeof least === 'number' ? known.find((step) => step + 1e-9 >= least) : now
  return enough === undefined ? undefined : { [dimension]: enough }
}

/** The next smaller name of an order; null if it is the smallest, undefined if it is not in the order. */
export function smaller(catalogue: string, name: string): string | null | undefined {
  const order = steps.get(`${catalogue} `) ?? []
  const at = order.findIndex((step) => step.toLowerCase() === name.toLowerCase())
  return at === -1 ? undefined : (order[at - 1] ?? null)
}

/**
 * Relative price of a step within its tier: providers price tiers by unit. Not valid for Premium databases from P11 on,
 * which cost more per unit; they are no steps here.
 */
export const stepPrice = (catalogue: string, { dimension }: StepSpecs, spec: TargetSpec): number | undefined => {
  const units = spec[dimension]
  return catalogue !== 'fsx' && typeof units === 'number' && units > 0 ? units : undefined
}
