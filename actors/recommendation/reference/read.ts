import type { Priced } from '#actors/recommendation/rule/contract.ts'

/** A fact of the resource as a number; undefined where it is none. */
export function numberAt(of: Priced, path: string): number | undefined {
  const fact = of.source(path)
  return typeof fact === 'number' ? fact : undefined
}

export function textAt(of: Priced, path: string): string | undefined {
  const fact = of.source(path)
  return typeof fact === 'string' && fact !== '' ? fact : undefined
}
