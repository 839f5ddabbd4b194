/** A question that works on past its limit: neither others nor the product wait for it, and it ends. */
import { mkdirSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { createClient } from '@clickhouse/client'
import { expect } from 'chai'
import { Limiter } from '#http/edge/limit/limit.ts'
import type { AnalystDatabases } from '#config/analyst/database.ts'
import { openGate, type Gate } from '#config/analyst/gate.ts'
import { upstreamAt } from '#config/analyst/upstream.ts'
import { reachable } from '#config/embedded/clickhouse/address.ts'
import { startClickHouse, type StartedClickHouse } from '#config/embedded/clickhouse/clickhouse.ts'
import { databaseOf } from '#config/analyst/database-name.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { until } from '#test/harness/product.ts'
import { testFolder } from '#test/harness/stores.ts'

const viewer = ['service.view', 'space.view'] as const
const orgs: Record<string, string> = {
  a: '11111111-1111-4111-8111-111111111111',
  b: '22222222-2222-4222-8222-222222222222',
}
/** One row, whose work the engine never looks up from: 40,000 million comparisons. */
const endless = 'SELECT arraySum(x -> countEqual(range(200000), x), range(200000)) + length(toString(rand()))'

describe('a question of an analyst that its limit does not end', () => {
  let clickhouse: StartedClickHouse
  let gate: Gate
  let now = 0
  before(async function () {
    this.timeout(180_000)
    const folder = path.join(testFolder(), 'clickhouse')
    mkdirSync(folder)
    clickhouse = await startClickHouse(folder, { log: () => {}, outlivedMs: 4_000 })
    const upstream = upstreamAt(clickhouse.url)
    const databases = { of: make, isThere: async () => true } as unknown as AnalystDatabases
    gate = await openGate({
      host: '127.0.0.1',
      port: 0,
      callerOf: async (token) => ({ orgId: orgs[token], isAdmin: false, permissions: new Set(viewer) }) as any,
      isWhole: () => true,
      serverOf: async () => ({ databases, upstream }),
      disconnect: () => upstream.close(),
      note: () => {},
      limiter: new Limiter(() => now),
      refused: { name: 'test', perMinute: 0, burst: 0 },
    })
  })
  after(async () => {
    await gate.close()
    await clickhouse.stop()
  })

  const make = async (orgId: string): Promise<string> => {
    const client = createClient(reachable(clickhouse.url))
    await client.command({ query: `CREATE DATABASE IF NOT EXISTS "${databaseOf(orgId, viewer)}" ENGINE = Memory` })
    await client.close()
    return databaseOf(orgId, viewer)
  }
  const ask = async (org: string, body: string): Promise<string> =>
    (await askAt(gate.url, { body, headers: basic(org) })).text()

  it('keeps the turns of its organization though its client left, no others wait, and the engine ends with it', async () => {
    const pid = clickhouse.pid()
    const left = Array.from({ length: 5 }, () => {
      const request = http.request(gate.url, { method: 'POST', headers: basic('a') })
      request.on('error', () => {})
      request.end(endless)
      return request
    })
    const busy = async () => {
      const sql =
        "SELECT count() FROM system.processes WHERE query LIKE '%countEqual%' AND query NOT LIKE '%processes%'"
      return (await (await askAt(clickhouse.url, { body: sql })).text()) === '2\n'
    }
    await until('two of them are asked', busy)
    for (const request of left) request.destroy()
    const waiting = ask('a', 'SELECT 1')
    expect(await ask('b', 'SELECT 2')).to.equal('2\n')
    expect(await busy()).to.equal(true)
    expect(clickhouse.pid()).to.equal(pid)
    await until('the engine is another one', async () => ![undefined, pid].includes(clickhouse.pid()))
    expect(await waiting).to.match(/^Code: (202|210)\./)
    expect(await ask('b', 'SELECT 3')).to.equal('3\n')
    expect(await ask('a', 'SELECT 4')).to.match(/^Code: 202\. DB::Exception: A query of your organization ran past/)
    now += 10 * 60_000
    expect(await ask('a', 'SELECT 5')).to.equal('5\n')
  })

  it('is refused before it is asked where what it calls is known to take the square of a row', async () => {
    const sql = "SELECT sum(editDistance(repeat(toString(number), 3000), repeat('b', 30000))) FROM numbers(300)"
    expect(await ask('b', sql)).to.match(/^Code: 164\. DB::Exception: Analysts: the word editDistance is not allowed/)
  })

  it('is ended by the limit where rows are many, for the engine looks at it every thousand of them', async () => {
    const asked = await askAt(gate.url, {
      body: "SELECT sum(length(replaceRegexpAll(repeat(toString(number), 2000), '(1|2)+', '-'))) FROM numbers(100000000)",
      headers: basic('b'),
      params: { max_execution_time: '1', max_block_size: '65000' },
    })
    expect(asked.headers.get('x-clickhouse-exception-code')).to.equal('159')
    expect(await asked.text()).to.include('maximum: 1000 ms')
  })
})
