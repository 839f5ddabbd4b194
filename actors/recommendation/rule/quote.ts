/** Which list prices a saving comes from. */
import type { PricedResource, PriceQuote, References, Saving, TargetSpec } from './contract.ts'
import type { ComputedSaving } from './saving.ts'

interface Pricing {
  references: References
  of: PricedResource
}

/** Empty if the saving is only a part of what is billed, or no price is known. */
export function quotesOf(
  { kind, per, price, product }: Saving,
  { isAssumed, usd }: ComputedSaving,
  { references: { quotes }, of }: Pricing,
  target: TargetSpec | undefined,
): readonly PriceQuote[] {
  if (!quotes || isAssumed || usd === 0) return []
  if (kind === 'commitment') return quotes.rates(product as string, of)
  const found =
    kind === 'price_delta'
      ? [undefined, target].map((one) => quotes.price(of, one, per as 'hour' | 'gb_month'))
      : kind === 'quantity'
        ? [quotes.unit(price as string, of)]
        : []
  return found.filter((one) => one !== undefined)
}
