import type { Capability } from '#actors/capability.ts'
import { ExchangeRate } from '#actors/currency/entity.ts'

/** Exchange rates, to show reports in other currencies. */
export const currency: Capability = {
  word: 'currency',
  entities: [ExchangeRate],
  migrates: true,
}
