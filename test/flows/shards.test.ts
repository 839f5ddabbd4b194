import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { moveOrganization, tidyMoves } from '#config/tenant/move.ts'
import { until, type Tenant } from '#test/harness/product.ts'
import { shardedWorld, type ShardedWorld } from '#test/harness/sharded.ts'

const line = (lineId: string, usageDate: string, costUSD: number) => ({
  ...billingLine.examples[0]!,
  lineId,
  cloudAccountId: 'acct-1',
  costUSD,
  usageDate,
  exportedAt: '2026-02-01T00:00:00Z',
})

describe('several ClickHouse servers', function () {
  this.timeout(180_000)
  let world: ShardedWorld
  /** On `a`, `b` and `main`. */
  let orgs: Tenant[]
  const costs = [
    [2, 3],
    [4, 5],
    [6, 7],
  ]
  before(async () => {
    world = await shardedWorld()
    orgs = []
    for (const name of ['First', 'Second', 'Third']) orgs.push(await world.found(name))
    for (const [n, org] of orgs.entries())
      await org.publish(billingLine, costs[n]!.map((cost, at) => line(`l-${at}`, `2026-01-1${at}`, cost)) as never)
  })
  after(() => world?.stop())

  const billed = async (org: Tenant) => {
    const { body } = await org.get('/reports/trends?from=2026-01-10&to=2026-01-12')
    return (body as { data: { costUSD: number }[] }).data?.map(({ costUSD }) => costUSD) ?? body
  }

  it('have the rows of an organization on one of them, the emptiest at its creation [59.7]', async () => {
    const places = await Promise.all(orgs.map(({ orgId }) => world.rows(orgId)))
    expect(places).to.deep.equal([{ a: 2 }, { b: 2 }, { main: 2 }])
    const days = await Promise.all(orgs.map(({ orgId }) => world.rows(orgId, 'cost_day')))
    expect(days).to.deep.equal([{ a: 2 }, { b: 2 }, { main: 2 }])
  })

  it('answer reports from the server of the organization', async () => {
    expect(await Promise.all(orgs.map(billed))).to.deep.equal([
      [2, 3, 0],
      [4, 5, 0],
      [6, 7, 0],
    ])
  })
})
