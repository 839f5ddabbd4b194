/** A unit metric of the demo organization: orders of a shop, more of them on weekends and a few more each day. */
import { makeMetric, pushValues } from '#actors/unit-metric/change.ts'
import { UnitMetric } from '#actors/unit-metric/entity.ts'
import { dayMs, dayOf } from '#engine/value/day.ts'
import type { Running } from '#config/product/product.ts'
import { services } from '#config/wiring/services.ts'

const key = 'shop-orders'
/** Days with values; the last is yesterday. */
const dayCount = 120

/** Orders of a day, `at` days after the first one. */
const ordersOf = (at: number, weekday: number): number =>
  21_000 + 35 * at + (weekday === 0 || weekday === 6 ? 6_400 : 0)

/** Does nothing if there is a metric of that key. */
export async function makeUnitMetric({ connections, product }: Running, orgId: string): Promise<void> {
  const to = services(connections, (what) => product.get(what), product.site, { orgId })
  const first = Date.parse(dayOf(connections.clock.now())) - dayCount * dayMs
  const times = Array.from({ length: dayCount }, (_, at) => first + at * dayMs)
  const values = new Map(times.map((time, at) => [time, ordersOf(at, new Date(time).getUTCDay())]))
  await to.change(async (change) => {
    if ((await change.em.count(UnitMetric, { orgId, key })) > 0) return
    const given = { name: 'Shop orders', key, unit: 'order', ingestion: 'push', aggregation: 'sum' } as const
    const { id } = await makeMetric(change, given, { seal: to.seal, allowPrivate: false })
    await pushValues(change, id, values)
  })
}
