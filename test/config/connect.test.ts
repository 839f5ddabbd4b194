import { expect } from 'chai'
import { connect, natsServers } from '#config/state/connect.ts'
import { urlsOf } from '#config/product/product.ts'
import { readSettings } from '#config/settings/settings.ts'
import { tenant } from '#test/harness/product.ts'
import { testFolder, testLanes, testStores } from '#test/harness/stores.ts'

describe('connections of the edge', () => {
  it('come back to their pool when they are lost within a transaction, however many', async function () {
    this.timeout(180_000)
    const { connections } = await tenant()
    const { orm, store } = connections
    // More than the pool holds.
    for (let i = 0; i < 25; i++) {
      const lost = await orm.em
        .fork()
        .transactional(async (em) => {
          const [row] = await em.execute<{ pid: number }[]>('select pg_backend_pid() as pid')
          await store.rows('select pg_terminate_backend($1)', [row!.pid])
          await em.execute('select 1')
        })
        .then(
          () => false,
          () => true,
        )
      expect(lost).to.equal(true)
    }
    expect(await orm.em.fork().execute('select 1 as one')).to.deep.equal([{ one: 1 }])
  })
})

describe('TLS between services', () => {
  it('is required of NATS by tls: in any of its addresses, and left to the server else', () => {
    expect(natsServers('tls://a%2Fb:p%40w@n1:4222,tls://n2:4222')).to.deep.equal({
      servers: ['tls://n1:4222', 'tls://n2:4222'],
      tls: {},
      user: 'a/b',
      pass: 'p@w',
    })
    expect(natsServers('nats://n1:4222')).to.deep.equal({ servers: ['nats://n1:4222'] })
  })

  it('is asked for by an address alone: a store without it is refused, by its name and before anything is told it', async () => {
    const urls = urlsOf(await testStores())
    const quiet = { info: () => {}, warn: () => {}, error: () => {} }
    const secured: Record<string, Partial<typeof urls>> = {
      POSTGRES_URL: { postgres: `${urls.postgres}?sslmode=verify-full` },
      NATS_URL: { nats: urls.nats.replace(/^nats:/, 'tls:') },
      CLICKHOUSE_URL: { clickhouse: (await tenant()).url.replace(/^http:/, 'https:') },
    }
    for (const [name, change] of Object.entries(secured)) {
      const given = Object.values(change)[0]!
      const settings = readSettings({
        TIDEMARK_DATA_DIR: testFolder(),
        TIDEMARK_LANES: String(testLanes),
        [name]: given,
      })
      const error = await connect(settings, { ...urls, ...change }, quiet).then(
        () => undefined,
        (caught: Error) => caught,
      )
      expect(error?.message, name)
        .to.include(`(${name})`)
        .and.match(/ssl|tls|EPROTO/i)
    }
  })
})
