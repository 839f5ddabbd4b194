// tier: deep
/** An edge of its own that is killed, as by kill -9, when an upload was applied and nobody has been told. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { urlsOf } from '#config/product/product.ts'
import { root } from '#config/process/root.ts'
import { ended, focusRow, openUpload, upload } from '#test/harness/bill-upload.ts'
import { answerOf, tenant, until, type Answer, type Tenant } from '#test/harness/product.ts'
import { inherited, testFolder, testLanes, testStores } from '#test/harness/stores.ts'
import { csv } from '#test/streams/billing/reading.ts'

describe('an edge that is killed over an upload of a bill', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))

  async function edge(crashAt: string) {
    const { postgres, nats, clickhouse } = urlsOf(await testStores())
    const child = spawn(process.execPath, [path.join(root, 'config/main.ts'), 'start', '--json'], {
      env: {
        ...inherited,
        TIDEMARK_DATA_DIR: testFolder(),
        TIDEMARK_ROLE: 'edge',
        TIDEMARK_LANES: String(testLanes),
        TIDEMARK_TEST_HOOKS: '1',
        TIDEMARK_CRASH_AT: crashAt,
        CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
        POSTGRES_URL: postgres,
        NATS_URL: nats,
        CLICKHOUSE_URL: clickhouse,
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const exit = once(child, 'exit')
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    return { child, exit, url: (JSON.parse(line) as { url: string }).url }
  }
  const apply = async (url: string, id: string): Promise<Answer> => {
    const headers = { Authorization: `Bearer ${org.token}`, 'Idempotency-Key': 'apply-1' }
    return answerOf(await fetch(`${url}/billing/uploads/${id}/apply`, { method: 'POST', headers }))
  }

  it('has applied it once, and another edge says so', async function () {
    this.timeout(180_000)
    const { id } = (await upload(org, csv(focusRow('i-1', '40'), focusRow('i-2', '2.5')))).body.data
    const { url, exit } = await edge('carried-out:1')
    const answer = await apply(url, id).catch((error: Error) => error.message)
    expect([answer, ...(await exit)]).to.deep.equal(['fetch failed', null, 'SIGKILL'])
    const again = await apply(org.url, id)
    expect([again.status, again.body.data.id, again.headers.get('idempotency-replayed')]).to.deep.equal([
      202,
      id,
      'true',
    ])
    const end = await ended(org, id)
    expect([end['state'], end['periods'][0].after]).to.deep.equal(['replaced', { lines: 2, billedUSD: '42.5' }])
    const told = await org.connections.store.rows<{ told: { state: string }[] }>(
      `select bills -> 'told' as told from cloud_account where org_id = $1`,
      [org.orgId],
    )
    expect(told.map((row) => row.told.map(({ state }) => state))).to.deep.equal([['replaced']])
  })

  it('leaves one that was being read broken, of which nothing is shown', async function () {
    this.timeout(180_000)
    const other = await tenant()
    const { child, exit, url } = await edge('')
    const under = openUpload({ ...other, url })
    await under.write(csv(...Array.from({ length: 2000 }, (_, n) => focusRow(`i-${n}`, '1'))))
    const first = async () => (await other.get('/billing/uploads')).body.data.items[0]
    await until('rows are read', async () => (await first())?.rows > 1000)
    child.kill('SIGKILL')
    await exit
    await other.connections.store.rows(
      `update bill_upload set heard_at = heard_at - interval '1 minute' where org_id = $1`,
      [other.orgId],
    )
    await until('it is broken', async () => (await first()).state === 'broken')
    const [shown] = await other.facts(`SELECT count() AS n FROM cost_lines WHERE x_OrgId = {org:String}`)
    expect(Number(shown.n)).to.equal(0)
    expect((await other.send('DELETE', `/billing/uploads/${(await first()).id}`)).status).to.equal(204)
    expect((await first()).state).to.equal('discarded')
  })
})
