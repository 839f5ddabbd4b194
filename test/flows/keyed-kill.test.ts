// tier: deep
/** An edge of its own that is killed, as by kill -9, when a POST has changed something and nobody has been told. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { expect } from 'chai'
import { urlsOf } from '#config/product/product.ts'
import { root } from '#config/process/root.ts'
import { advance, resetClock } from '#test/harness/people.ts'
import { answerOf, tenant, type Answer, type Tenant } from '#test/harness/product.ts'
import { inherited, testFolder, testLanes, testStores } from '#test/harness/stores.ts'

describe('an edge that is killed between a change and its answer [G-09]', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))
  after(resetClock)

  async function post(url: string, to: string, key: string, body: object): Promise<Answer> {
    const headers = { Authorization: `Bearer ${org.token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key }
    return answerOf(await fetch(`${url}${to}`, { method: 'POST', headers, body: JSON.stringify(body) }))
  }

  /** Asks an edge that ends itself at the first POST under a key. How it ended. */
  async function killedAt(to: string, key: string, body: object): Promise<unknown[]> {
    const { postgres, nats, clickhouse } = urlsOf(await testStores())
    const child = spawn(process.execPath, [path.join(root, 'config/main.ts'), 'start', '--json'], {
      env: {
        ...inherited,
        TIDEMARK_DATA_DIR: testFolder(),
        TIDEMARK_ROLE: 'edge',
        TIDEMARK_LANES: String(testLanes),
        TIDEMARK_TEST_HOOKS: '1',
        TIDEMARK_CRASH_AT: 'carried-out:1',
        CREDENTIALS_KEY: Buffer.alloc(32, 7).toString('base64'),
        POSTGRES_URL: postgres,
        NATS_URL: nats,
        CLICKHOUSE_URL: clickhouse,
        PORT: '0',
      },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = once(child, 'exit')
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { url } = JSON.parse(line) as { url: string }
    const answer = await post(url, to, key, body).catch((error: Error) => error.message)
    return [answer, ...(await ended)]
  }

  it('leaves an answer that another edge gives at once, of a change that was made once', async function () {
    this.timeout(180_000)
    const body = { name: 'auditors', permissions: ['space.view'] }
    expect(await killedAt('/roles', 'role-1', body)).to.deep.equal(['fetch failed', null, 'SIGKILL'])
    const again = await post(org.url, '/roles', 'role-1', body)
    const { items } = (await org.get('/roles?search=auditors')).body.data
    expect(items).to.have.length(1)
    expect([again.status, again.body.data, again.headers.get('idempotency-replayed')]).to.deep.equal([
      201,
      items[0],
      'true',
    ])
  })

  it('leaves replies of actors that make the answer of a repeat, a minute later', async function () {
    this.timeout(180_000)
    const body = { name: 'Production', provider: 'aws', externalID: '123456789012' }
    expect(await killedAt('/cloud-accounts', 'account-1', body)).to.deep.equal(['fetch failed', null, 'SIGKILL'])
    await advance(61)
    const again = await post(org.url, '/cloud-accounts', 'account-1', body)
    const { items } = (await org.get('/cloud-accounts')).body.data
    expect(items).to.have.length(1)
    expect([again.status, again.body.data.id]).to.deep.equal([201, items[0].id])
    const other = await post(org.url, '/cloud-accounts', 'account-2', body)
    expect([other.status, other.body.code]).to.deep.equal([409, 'already_exists'])
  })
})
