import { once } from 'node:events'
import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { connect } from '#config/state/connect.ts'
import { urlsOf } from '#config/product/product.ts'
import { moveOrganization, tidyMoves } from '#config/tenant/move.ts'
import { launch } from '#test/harness/launched.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { until, type Tenant } from '#test/harness/product.ts'
import { shardedWorld, type ShardedWorld } from '#test/harness/sharded.ts'
import { testFolder } from '#test/harness/stores.ts'
import { deepIt } from '#test/harness/tier.ts'

const line = (lineId: string, usageDate: string, costUSD: number) => ({
  ...billingLine.examples[0]!,
  lineId,
  cloudAccountId: 'acct-1',
  costUSD,
  usageDate,
  exportedAt: '2026-02-01T00:00:00Z',
})

describe('several ClickHouse servers', function () {
  this.timeout(240_000)
  let world: ShardedWorld
  /** On `a`, `b` and `main`. */
  let orgs: Tenant[]
  before(async () => {
    world = await shardedWorld()
    orgs = []
    for (const name of ['First', 'Second', 'Third']) orgs.push(await world.found(name))
    const costs = [
      [2, 3],
      [4, 5],
      [6, 7],
    ]
    for (const [n, org] of orgs.entries())
      await org.publish(billingLine, costs[n]!.map((cost, at) => line(`l-${at}`, `2026-01-1${at}`, cost)) as never)
  })
  after(() => world?.stop())

  /** From 10 to 12 January. */
  const billed = async (org: Tenant): Promise<number[]> => {
    const { body } = await org.get('/reports/trends?from=2026-01-10&to=2026-01-12')
    return body.data.items.map(({ costUSD }: { costUSD: number }) => costUSD)
  }
  const placesOf = (table: string) => Promise.all(orgs.map(({ orgId }) => world.rows(orgId, table)))

  it('have the rows of an organization on one of them, the emptiest at its creation', async () => {
    expect(await placesOf('cost_fact')).to.deep.equal([{ a: 2 }, { b: 2 }, { main: 2 }])
    expect(await placesOf('cost_day')).to.deep.equal([{ a: 2 }, { b: 2 }, { main: 2 }])
  })

  it('answer reports from the server of the organization', async () => {
    expect(await Promise.all(orgs.map(billed))).to.deep.equal([
      [2, 3, 0],
      [4, 5, 0],
      [6, 7, 0],
    ])
  })

  it('lose and double nothing of an organization that moves while its bill arrives', async () => {
    const [first] = orgs as [Tenant, Tenant, Tenant]
    const { connections } = world.running
    let isOver = false
    let sent = 0
    const sending = async () => {
      while (!isOver) await first.publish(billingLine, [line(`m-${sent++}`, '2026-01-12', 0.5)] as never)
    }
    const sender = sending()
    const moved = await moveOrganization(connections, first.orgId, 'b')
    isOver = true
    await sender
    expect(moved).to.deep.include({ from: 'a', to: 'b' })
    expect(await billed(first)).to.deep.equal([2, 3, sent * 0.5])
    expect((await world.rows(first.orgId))['b']).to.equal(2 + sent)
    expect(await world.rows(first.orgId), 'kept for queries that have begun').to.have.keys('a', 'b')
    const again = await moveOrganization(connections, first.orgId, 'a').catch((fault: { code: string }) => fault.code)
    expect(again).to.equal('just_moved')
    await tidyMoves(connections, 0)
    expect(await world.rows(first.orgId)).to.deep.equal({ b: 2 + sent })
    expect(await moveOrganization(connections, first.orgId, 'b'), 'it is there').to.equal(undefined)
  })

  it('refuse a name that is not configured, and run no lane without a server that has organizations', async () => {
    const { connections, stores } = world.running
    const fault = await moveOrganization(connections, orgs[1]!.orgId, 'c').catch((error: unknown) => error)
    expect(fault).to.deep.include({
      code: 'unknown_shard',
      message: 'CLICKHOUSE_SHARDS does not name c. Servers: main, a, b.',
    })
    const clickhouseShards = [`a=${world.servers.a.url}`]
    const other = await connect({ ...connections.settings, clickhouseShards }, urlsOf(stores), connections.report)
    expect(other.installation.misfits.map(({ message }) => message)).to.deep.equal([
      'Organizations are on the ClickHouse server b, which CLICKHOUSE_SHARDS does not name. Add it. See docs/configure.md',
    ])
    await other.close()
  })

  it('start without one that is away, and know whose it is', async () => {
    const { connections, stores } = world.running
    const clickhouseShards = [`a=${world.servers.a.url}`, 'b=http://127.0.0.1:9']
    const other = await connect({ ...connections.settings, clickhouseShards }, urlsOf(stores), connections.report)
    expect([other.awayShards.names, other.installation.misfits]).to.deep.equal([['b'], []])
    expect(orgs.map(({ orgId }) => other.awayShards.isAway(orgId))).to.deep.equal([true, true, false])
    await other.close()
  })

  it('keep nobody else waiting while one is held by its move for long', async () => {
    const [, second, third] = orgs as [Tenant, Tenant, Tenant]
    const { store } = world.running.connections
    const publisher = world.running.product.get(tokens.publisher)
    const hold = (until: string) =>
      store.rows(`update org_shard set held_until = ${until} where org_id = $1`, [second.orgId])
    const before = [await billed(second), await billed(third)]
    await hold(`clock_timestamp() + interval '1 hour'`)
    // Accounts enough for every lane to have some of both.
    const lines = Array.from({ length: 12 }, (_, n) => ({
      ...line(`h-${n}`, '2026-01-10', 1),
      cloudAccountId: `h-${n}`,
    }))
    for (const data of lines) await publisher.publish({ subject: billingLine, orgId: second.orgId, data } as never)
    await third.publish(billingLine, lines as never)
    expect(await billed(third)).to.deep.equal([before[1]![0]! + 12, ...before[1]!.slice(1)])
    expect(await billed(second), 'reading goes on').to.deep.equal(before[0])
    await hold('null')
    await second.publish(billingLine, [line('h-12', '2026-01-10', 1)] as never)
    const expected = [before[0]![0]! + 13, ...before[0]!.slice(1)]
    await until('all of it counts', async () => (await billed(second)).join() === expected.join())
  })

  deepIt('stop only the organizations of the one that hangs, and lose nothing of theirs', async () => {
    const [first, , third] = orgs as [Tenant, Tenant, Tenant]
    const publisher = world.running.product.get(tokens.publisher)
    const before = [await billed(first), await billed(third)]
    const pid = world.servers.b.pid()!
    process.kill(pid, 'SIGSTOP')
    try {
      // Accounts enough for every lane to have some of both.
      const lines = Array.from({ length: 12 }, (_, n) => ({
        ...line(`w-${n}`, '2026-01-10', 1),
        cloudAccountId: `w-${n}`,
      }))
      for (const data of lines) await publisher.publish({ subject: billingLine, orgId: first.orgId, data } as never)
      await third.publish(billingLine, lines as never)
      expect(await billed(third)).to.deep.equal([before[1]![0]! + 12, ...before[1]!.slice(1)])
      const { awayShards } = world.running.connections
      await until('it counts as away', () => awayShards.names.join() === 'b')
      expect((await first.get('/reports/trends?from=2026-01-10&to=2026-01-12')).status).to.equal(503)
    } finally {
      process.kill(pid, 'SIGCONT')
    }
    await first.publish(billingLine, [line('w-12', '2026-01-10', 1)] as never)
    const expected = [before[0]![0]! + 13, ...before[0]!.slice(1)]
    await until('all of it counts', async () => (await billed(first).catch(() => [])).join() === expected.join())
    expect(await world.rows(third.orgId)).to.have.keys('main')
  })

  it('take a new organization of a person', async () => {
    const { status, body } = await (await orgs[0]!.signedIn()).send('POST', '/organisations', { name: 'Fourth' })
    expect(status).to.equal(201)
    const [placed] = await world.running.connections.store.rows('select shard from org_shard where org_id = $1', [
      body.data?.id ?? body.id,
    ])
    expect(placed, 'main has the fewest bytes, or one of the others').to.satisfy(
      (one: { shard: string } | undefined) => one === undefined || ['a', 'b'].includes(one.shard),
    )
  })

  deepIt('have an organization whole where it was, or where it went, wherever its move is killed', async () => {
    const [, , third] = orgs as [Tenant, Tenant, Tenant]
    const { connections } = world.running
    const before = await billed(third)
    const rows = (await world.rows(third.orgId))['main']!
    let total = 0
    for (const [n, point] of ['copied', 'held', 'compared', 'switched'].entries()) {
      const env = { ...world.environment, TIDEMARK_CRASH_AT: point }
      const moving = launch(testFolder(), env, 'org', 'move', third.orgId, 'a')
      expect(await once(moving, 'exit'), point).to.deep.equal([null, 'SIGKILL'])
      await third.publish(billingLine, [line(`k-${n}`, '2026-01-12', 1)] as never)
      total++
      expect(await billed(third), point).to.deep.equal([...before.slice(0, 2), total])
      await tidyMoves(connections, 0)
      expect(await world.rows(third.orgId), point).to.deep.equal({
        [point === 'switched' ? 'a' : 'main']: rows + total,
      })
    }
  })
})
