import { expect } from 'chai'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { EntityManager } from '@mikro-orm/postgresql'
import { loadReferences } from '#actors/recommendation/reference/book/change.ts'
import { ReferenceCache, type Ask } from '#actors/recommendation/reference/book/reference-cache.ts'
import { ReferenceTables } from '#actors/recommendation/reference/tables.ts'
import { commanded, tidemark } from '#test/harness/command.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { priced } from '#test/harness/reference.ts'
import { testFolder } from '#test/harness/stores.ts'

const value = (name: string, usd: string) => ({ kind: 'ec2', region: '', name, field: 'usd_hour', value: usd })
const m5 = priced('aws-ec2', 'm5.large')
const priceIn = (tables: ReferenceTables) => tables.at({ now: new Date(), families: [] }).price(m5, undefined)

describe('loading prices', () => {
  let org: Tenant
  let ask: Ask
  const undone = new Error('undone')

  /** What `work` does is not kept: the table is everybody's. */
  async function inVain(work: (tx: EntityManager, ask: Ask) => Promise<void>): Promise<void> {
    const em = org.connections.orm.em.fork() as EntityManager
    await em
      .transactional(async (tx) => {
        await work(tx, async (sql) => tx.execute(sql))
        throw undone
      })
      .catch((error: unknown) => {
        if (error !== undone) throw error
      })
  }

  before(async () => {
    org = await tenant()
    ask = async (sql, params) => org.connections.store.rows(sql, [...params])
  })

  it('puts the file in place of what stood, or beside it, and asks every organization for a sweep', () =>
    inVain(async (tx) => {
      const at = new Date('2026-11-23T10:00:00Z')
      await loadReferences(tx, [value('m5.large', '0.09'), value('c5.large', '0.08')], { at, keepsOthers: false })
      const beside = await loadReferences(tx, [value('m5.large', '0.07')], { at, keepsOthers: true })
      expect(beside.values).to.equal(2)
      const loaded = await loadReferences(tx, [value('r5.large', '0.06')], { at, keepsOthers: false })
      const rows = await tx.execute('select org_id, name, value from reference_value')
      expect(rows).to.deep.equal([{ org_id: '', name: 'r5.large', value: '0.06' }])
      const told = await tx.execute(
        `select count(*)::int as count from effect where name = 'tell' and org_id = ? and input ->> 'subject' = 'sweep.wanted'`,
        [org.orgId],
      )
      expect(told).to.deep.equal([{ count: 3 }])
      expect(loaded.values).to.equal(1)
      expect(loaded.organizations).to.be.at.least(1)
    }))

  it('is seen by a process that has the tables already, which works out nothing while nothing is loaded', () =>
    inVain(async (tx, within) => {
      const shelf = new ReferenceCache()
      const first = await shelf.current(within)
      expect(priceIn(first)).to.equal(0.096)
      expect(await shelf.current(within)).to.equal(first)
      await loadReferences(tx, [value('m5.large', '0.09')], { at: new Date(), keepsOthers: false })
      const second = await shelf.current(within)
      expect(priceIn(second)).to.equal(0.09)
      expect(second.version).to.not.equal(first.version)
    }))

  it('is a command, which keeps nothing of a file with one bad line', async () => {
    const file = path.join(testFolder(), 'prices.csv')
    writeFileSync(file, 'kind,region,name,field,value\nec2,,m5.large,usd_hour,0.09\nec2,,m5.large,vcpus,none\n')
    const failed = await commanded('prices', 'load', file).then(
      () => undefined,
      (error: { code: number; stdout: string; stderr: string }) => error,
    )
    expect(failed?.code).to.equal(1)
    expect(`${failed?.stdout}${failed?.stderr}`).to.contain(`${file}:3: value must be a number above 0`)
  })

  it('is a command that shows what stands: nothing, under the version of the product’s own tables', async () => {
    expect(await tidemark('prices', 'show')).to.deep.equal({
      version: new ReferenceTables().version,
      values: [],
      refreshed: [],
    })
  })

  it('is a command that refreshes nothing where no account is at a cloud whose prices are read', async () => {
    expect(await tidemark('prices', 'refresh', '--org', org.orgId)).to.deep.equal({ refreshes: [] })
  })

  it('is a command whose values stand in processes that run, until they are reset', async () => {
    const file = path.join(testFolder(), 'prices.csv')
    writeFileSync(file, 'kind,region,name,field,value\nec2,,m5.large,usd_hour,0.09\n')
    expect((await tidemark('prices', 'load', file)).values).to.equal(1)
    expect(priceIn(await new ReferenceCache().current(ask))).to.equal(0.09)
    expect((await tidemark('prices', 'reset')).values).to.equal(0)
    expect(priceIn(await new ReferenceCache().current(ask))).to.equal(0.096)
  })
})
