/** Prometheus metric of charges that appear in two bills. */
import { Gauge, type Registry } from 'prom-client'
import { leftOutOfAll, type LeftOutOfAll } from '#analytics/billing/bill.ts'
import type { Shards } from '#engine/store/clickhouse/shards.ts'

/** Milliseconds between queries: the sums change with bills, not with scrapes. */
const lookMs = 60_000

/** The charges that reports leave out, of all organizations. While ClickHouse is unavailable the last value stays. */
export function measureOverlaps(registry: Registry, shards: Pick<Shards, 'each'>, now: () => number): void {
  let known: Promise<LeftOutOfAll | undefined> = Promise.resolve(undefined)
  let at = Number.NEGATIVE_INFINITY
  const look = () => {
    if (now() - at < lookMs) return known
    at = now()
    const before = known
    return (known = sumOf(shards).catch(() => before))
  }
  const gauge = (name: string, help: string, pick: (of: LeftOutOfAll) => number) =>
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        const found = await look()
        if (found) this.set(pick(found))
      },
    })
  gauge(
    'tidemark_bill_overlap_usd',
    'US dollars excluded from reports because the bill of another account contains the same charges',
    ({ usd }) => usd,
  )
  gauge(
    'tidemark_bill_overlap_days',
    'Account days with charges excluded because the bill of another account contains them too',
    ({ days }) => days,
  )
}

async function sumOf(shards: Pick<Shards, 'each'>): Promise<LeftOutOfAll | undefined> {
  const found = (await shards.each(({ client }) => leftOutOfAll(client))).filter((one) => one !== undefined)
  if (found.length === 0) return undefined
  return found.reduce((a, b) => ({ usd: a.usd + b.usd, days: a.days + b.days }))
}
