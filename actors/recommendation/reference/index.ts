/** The tables of sizes, prices, support dates and commitments, as this process knows them. */
import type { TurnReads } from '#engine/ports.ts'
import type { References } from '#actors/recommendation/rule/contract.ts'

export interface ReferenceTables {
  /** Changes whenever an answer may be another one. */
  version: string
  at: (now: Date) => References
}

const none: References = {
  version: '0',
  fact: () => undefined,
  fit: () => undefined,
  lookup: () => undefined,
  price: () => undefined,
  tierRates: () => undefined,
}

export const referencesOf = async (_reads: TurnReads): Promise<ReferenceTables> => ({
  version: none.version,
  at: () => none,
})
