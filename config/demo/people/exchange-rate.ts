/** Exchange rates of the demo organization: of euros, from the beginning of this year and of this month on. */
import { putRate } from '#actors/currency/change.ts'
import { dayOf, firstOf, monthOf } from '#engine/value/day.ts'
import type { Running } from '#config/product/product.ts'
import { services } from '#config/wiring/services.ts'
import { demoOwner } from './owner.ts'

export async function makeRates({ connections, product }: Running, orgId: string): Promise<void> {
  const to = services(connections, (what) => product.get(what), product.site, { orgId })
  const authorId = (await demoOwner(connections, orgId)) ?? ''
  const month = monthOf(dayOf(connections.clock.now()))
  await to.change(async (change) => {
    await putRate(change, { currency: 'EUR', day: `${month.slice(0, 4)}-01-01` }, { usdPerUnit: '1.0843', authorId })
    await putRate(change, { currency: 'EUR', day: firstOf(month) }, { usdPerUnit: '1.1012', authorId })
  })
}
