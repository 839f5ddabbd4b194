/** Changes of exchange rates. The one writer of ExchangeRate. */
import { ExchangeRate } from '#actors/currency/entity.ts'
import { checkRowLimit } from '#actors/row-limit.ts'
import { Fault } from '#engine/value/fault.ts'
import type { RecordChange } from '#engine/run/tell.ts'

interface RateKey {
  currency: string
  day: string
}

/** @throws Fault `refused` `limit_reached` */
export async function putRate(
  { em, orgId, now }: RecordChange,
  key: RateKey,
  { usdPerUnit, authorId }: { usdPerUnit: string; authorId: string },
): Promise<ExchangeRate> {
  if ((await em.count(ExchangeRate, { orgId, ...key })) === 0) await checkRowLimit(em, 'exchange_rate', orgId)
  return em.upsert(ExchangeRate, { orgId, ...key, usdPerUnit, authorId, updatedAt: now() })
}

/** @throws Fault `missing` */
export async function removeRate({ em, orgId }: RecordChange, { currency, day }: RateKey): Promise<void> {
  const count = await em.nativeDelete(ExchangeRate, { orgId, currency, day })
  if (count === 0) throw Fault.missing('exchange rate', `${currency} of ${day}`)
}
