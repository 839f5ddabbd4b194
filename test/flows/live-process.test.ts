// tier: deep
/** An edge of its own: what the engine of another process does is told there, and it stops with a stream open. */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { urlsOf } from '#config/product/product.ts'
import { root } from '#config/process/root.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { listen, soonMs } from '#test/harness/live.ts'
import { answerOf, tenant, until, type Tenant } from '#test/harness/product.ts'
import { inherited, testFolder, testLanes, testStores } from '#test/harness/stores.ts'

const today = new Date().toISOString().slice(0, 10)
const line = {
  ...billingLine.examples[0]!,
  lineId: 'l-1',
  cloudAccountId: 'acct-1',
  costUSD: 9,
  usageDate: today,
  provider: 'aws' as const,
  exportedAt: `${today}T00:00:01Z`,
}

describe('an edge beside the engine', function () {
  this.timeout(180_000)
  let org: Tenant
  let child: ChildProcess
  let url: string
  before(async () => {
    org = await tenant()
    const { postgres, nats, clickhouse } = urlsOf(await testStores())
    child = spawn(process.execPath, [path.join(root, 'config/main.ts'), 'start', '--json'], {
      env: {
        ...inherited,
        TIDEMARK_DATA_DIR: testFolder(),
        TIDEMARK_ROLE: 'edge',
        TIDEMARK_LANES: String(testLanes),
        TIDEMARK_TEST_HOOKS: '1',
        CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
        POSTGRES_URL: postgres,
        NATS_URL: nats,
        CLICKHOUSE_URL: clickhouse,
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const [line] = (await once(createInterface(child.stdout!), 'line')) as [string]
    url = (JSON.parse(line) as { url: string }).url
  })
  after(() => void child.kill('SIGKILL'))

  it('tells of a line soon, shows it by then, and ends its streams at once when it stops', async () => {
    const one = await listen(url, org.token)
    // The first of all takes longer: plans and connections are made for it.
    await org.publish(billingLine, [{ ...line, lineId: 'l-0', costUSD: 1 }])
    await one.next('costs.changed')
    const before = one.heard.length
    const began = performance.now()
    await org.product.get(tokens.publisher).publish({ subject: billingLine, orgId: org.orgId, data: line })
    await until('the second', () => one.heard.length > before)
    const { data: said, at } = one.heard.at(-1)!
    const headers = { Authorization: `Bearer ${org.token}` }
    const trends = await answerOf<any>(await fetch(`${url}/reports/trends?from=${today}&to=${today}`, { headers }))
    expect(said).to.deep.equal({ days: [today], cloudAccountIDs: ['acct-1'] })
    expect(at - began).to.be.below(soonMs)
    expect(trends.body.data.items.map(({ costUSD }: any) => costUSD)).to.deep.equal([10])

    const told = performance.now()
    child.kill('SIGTERM')
    await until('the end of the stream', () => one.isOver)
    const streamMs = performance.now() - told
    if (child.exitCode === null) await once(child, 'exit')
    const exitMs = performance.now() - told
    expect(one.answer.complete, 'ended as it should').to.equal(true)
    expect(streamMs).to.be.below(soonMs)
    expect(exitMs).to.be.below(2 * soonMs)
  })
})
