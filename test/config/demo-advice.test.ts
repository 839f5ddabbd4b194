import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { loadDemo } from '#config/demo.ts'
import type { Running } from '#config/product.ts'
import { Progress } from '#config/progress.ts'
import { stories } from '#streams/cloud/simulated/stories.ts'
import { simulatedBills, tenant, type Tenant } from '#test/harness/product.ts'
import { testStores } from '#test/harness/stores.ts'

/** Ends something, or keeps it from its work for a while. */
const disturbs = ({ actionType, effect }: any): boolean =>
  ['stop', 'pause', 'delete'].includes(actionType) ||
  ['restart', 'outage', 'data_loss', 'irreversible'].includes(effect)

const isNonProduction = /^(dev|development|staging|stage)$/i

describe('what is recommended to the demo organization', () => {
  let org: Tenant
  let file: string
  let found: any[]
  /** By id: the cloud's own names of the accounts. */
  let accounts: Map<string, string>

  /** The demo as `npm start` makes it, but for the bills before the last month. */
  const start = async () => {
    const { connections, product, url, analystsUrl } = org
    const stores = await testStores()
    const running: Running = { stores, connections, product, url, analystsUrl, metricsUrl: '', stop: async () => {} }
    simulatedBills.areOn = true
    const loaded = await loadDemo(running, new Progress())
    simulatedBills.areOn = false
    await loaded!.rest()
  }
  const kept = () => JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  const everything = async (): Promise<any[]> => {
    const all: any[] = []
    for (let page = 1; ; page++) {
      const { items } = (await org.get(`/recommendations?size=100&page=${page}`)).body.data
      all.push(...items)
      if (items.length < 100) return all
    }
  }

  before(async function () {
    this.timeout(240_000)
    org = await tenant()
    file = path.join(org.connections.settings.dataDir, 'demo.json')
    writeFileSync(file, JSON.stringify({ orgId: org.orgId, token: org.token, isLoaded: false }))
    await start()
    const { rows } = await org.connections.store.pool.query<{ id: string; of: string }>(
      'select id, external_id as of from cloud_account where org_id = $1',
      [org.orgId],
    )
    accounts = new Map(rows.map(({ id, of }) => [id, of]))
    found = await everything()
  })
  after(() => {
    simulatedBills.areOn = false
    rmSync(file, { force: true })
  })

  it('is every story that a recommendation tells of, open on each of its resources', () => {
    const planted = stories.flatMap(({ account, names, rules }) =>
      names.flatMap((name) => rules.map((rule) => `${rule} ${account} ${name}`)),
    )
    expect(planted.length).to.be.at.least(75)
    const open = new Set(
      found
        .filter(({ status }) => status === 'open')
        .map(({ ruleId, cloudAccountID, resourceName }) => `${ruleId} ${accounts.get(cloudAccountID)} ${resourceName}`),
    )
    expect(planted.filter((one) => !open.has(one))).to.deep.equal([])
  })

  it('is nothing that would disturb production resources that work', () => {
    const told = new Set(stories.flatMap(({ account, names }) => names.map((name) => `${account} ${name}`)))
    const works = ({ cloudAccountID, resourceName, resourceTags = {} }: any): boolean => {
      const account = accounts.get(cloudAccountID)!
      const env = resourceTags.env ?? resourceTags.Environment ?? ''
      return !told.has(`${account} ${resourceName}`) && !isNonProduction.test(env) && !/staging|dev$/.test(account)
    }
    expect(found.filter(disturbs).length).to.be.at.least(20)
    expect(found.filter(works).length).to.be.at.least(20)
    const bad = found.filter((one) => works(one) && disturbs(one) && one.actionType !== 'purchase')
    expect(bad.map(({ ruleId, resourceName }) => `${ruleId} ${resourceName}`)).to.deep.equal([])
  })

  it('is decided by nobody, and found once though a start was interrupted', async function () {
    this.timeout(120_000)
    expect(new Set(found.map(({ status }) => status))).to.deep.equal(new Set(['open']))
    const { isAdvised, ...interrupted } = kept()
    expect(isAdvised).to.equal(true)
    writeFileSync(file, JSON.stringify(interrupted))
    await start()
    const ids = (all: any[]) => all.map(({ id }) => id).toSorted()
    expect(ids(await everything())).to.deep.equal(ids(found))
    expect(kept()['isAdvised']).to.equal(true)
  })
})
