import { expect } from 'chai'
import { until } from '#test/harness/product.ts'
import { found, Tagged } from '#test/harness/tagged.ts'

/** A disk that has been attached to nothing for a hundred days, which RC-1301 finds. */
const disk = found('vol-1', {
  name: 'shop-prod-data',
  type: 'aws-ebs-volume',
  sizeGB: 100,
  status: 'running',
  tags: { owner: 'ana' },
  specs: { state: 'available', attached: false, days_detached: 100, created_at: '2020-01-01T00:00:00Z' },
})

describe('one discovery on the stream', () => {
  it('has the resource in the inventory, judged by rules, predicted and tagged by policies; its deletion takes both tags away [STREAM-01] [STREAM-02] [STREAM-03]', async () => {
    const org = await Tagged.begin()
    await org.policy('loc', { fields: ['res.region'], join: '-', standardize: true })
    await org.discover(disk)
    const rules = async () =>
      (await org.get('/recommendations?resource_uid=vol-1')).body.data.items.map((one: any) => one.ruleId)
    const predicted = async () =>
      (await org.get('/autotagging')).body.items.map((one: any) => [one.resourceUid, one.predictedEnv])
    const derived = async () =>
      (await org.get('/smart-tags')).body.data.items.map((one: any) => [one.resourceUid, one.derived])
    await until('the finding', async () => (await rules()).includes('RC-1301'))
    const [shown] = (await org.get('/resources/by-uids?uids=vol-1')).body.data
    expect([shown.name, shown.type, shown.tags]).to.deep.equal(['shop-prod-data', 'aws-ebs-volume', { owner: 'ana' }])
    expect(await predicted()).to.deep.equal([['vol-1', 'prod']])
    expect(await derived()).to.deep.equal([['vol-1', { loc: 'us-east-1' }]])
    await org.gone('vol-1')
    expect([await predicted(), await derived()]).to.deep.equal([[], []])
  })
})
