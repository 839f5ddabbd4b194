import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { day, line, publish } from '#test/harness/anomaly.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { waitUntilSettled } from '#config/state/wait-for-ingest.ts'
import { Sender } from '#engine/run/sender.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { amount, deepIt } from '#test/harness/tier.ts'

const length = amount(6, 20, 20)
const days = Array.from({ length }, (_, i) => i + 1 - length)
const bill = (factor: number, exportedAt: string, more: Partial<BillingLine> = {}): BillingLine[] =>
  days.flatMap((offset) =>
    ['a', 'b', 'c'].map((uid) => line(offset, factor, { resourceUid: uid, exportedAt, ...more })),
  )

describe('a bill that is restated', () => {
  afterEach(resetClock)

  const dayCosts = async (org: Tenant): Promise<number[]> => {
    const { body } = await org.get(`/reports/trends?from=${day(days[0]!)}&to=${day(0)}`)
    return body.data.items.map((item: any) => item.costUSD)
  }

  it('turns over for all its days at once, however its lines come [STREAM-05] [BILL-09]', async () => {
    const org = await tenant()
    await publish(org, bill(1, '2026-04-01T00:00:00Z'))
    await advance(120)
    const sender = new Sender(org.product.get(tokens.publisher), randomUUID)
    const seen = new Set<string>()
    let isOver = false
    const watching = (async () => {
      while (!isOver) seen.add([...new Set(await dayCosts(org))].join())
    })()
    const restated = bill(5, '2026-05-01T00:00:00Z')
    for (let i = 0; i < restated.length; i += 6) {
      for (const data of restated.slice(i, i + 6))
        await sender.add({ subject: billingLine, orgId: org.orgId, data } as never)
      await sender.end()
      await org.connections.clock.sleep(60)
    }
    await waitUntilSettled(org.connections, org.orgId, sender.lanes, () => {})
    seen.add([...new Set(await dayCosts(org))].join())
    isOver = true
    await watching
    expect([...seen]).to.deep.equal(['3', '15'])
  })

  deepIt('does not keep new lines of the same days waiting', async () => {
    const org = await tenant()
    await publish(org, bill(1, '2026-04-01T00:00:00Z'))
    await advance(120)
    const began = performance.now()
    await publish(org, [line(0, 4, { resourceUid: 'd' })])
    expect((await dayCosts(org)).at(-1)).to.equal(7)
    expect(performance.now() - began).to.be.below(10_000)
  })
})
