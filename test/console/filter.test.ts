import { expect } from 'chai'
import { clusterQuery } from '../../http/console/web/cluster-query.ts'
import { daysOfPeriod } from '../../http/console/web/day.ts'
import {
  addValue,
  addTagKey,
  anomalyQuery,
  chipFor,
  chipsOf,
  drillDown,
  groupQuery,
  nextDim,
  notDriven,
  otherThan,
  plainQuery,
  queryOf,
  valueOf,
  without,
  wordsOf,
  type Chip,
} from '../../http/console/web/filter.ts'

const chips = (search: string): Chip[] => chipsOf(new URLSearchParams(search))

describe('filters of the console', () => {
  it('are the parameters of the address that narrow, in their order, and asked as they stand', () => {
    const all = chips(
      'range=30d&filter[region]=eu-west-1&tag=team:data&cost=list&region=a&filter[region]=eu&tag=env&dims=region&filter[tag:a:b]=c',
    )
    expect(queryOf(all)).to.deep.equal({
      'filter[region]': ['eu-west-1', 'eu'],
      tag: ['team:data', 'env'],
      region: ['a'],
      'filter[tag:a:b]': ['c'],
    })
    expect(all.map(wordsOf)).to.deep.equal([
      { title: 'Region', value: 'eu-west-1' },
      { title: 'Tag team', value: 'data' },
      { title: 'Region', value: 'a' },
      { title: 'Region', value: 'eu' },
      { title: 'Tag env', value: 'any value' },
      { title: 'Tag a:b', value: 'c' },
    ])
  })

  it('are taken away one by one, or all of a dimension', () => {
    const all = chips('filter[region]=a&filter[region]=b&tag=team:data&tag=team')
    expect(without(all, { name: 'filter[region]', value: 'a' })).to.deep.equal(
      chips('filter[region]=b&tag=team:data&tag=team'),
    )
    expect(otherThan(all, 'region')).to.deep.equal(chips('tag=team:data&tag=team'))
    expect(otherThan(all, 'tag:team')).to.deep.equal(chips('filter[region]=a&filter[region]=b'))
  })

  it('are added once; values of a dimension are alternatives, those of a tag too', () => {
    const one = addValue([], 'region', 'a')
    expect(addValue(one, 'region', 'a')).to.deep.equal(chips('filter[region]=a'))
    expect(addValue(one, 'region', 'b')).to.deep.equal(chips('filter[region]=a&filter[region]=b'))
    const tagged = addValue([], 'tag:team', 'data')
    expect(tagged).to.deep.equal(chips('tag=team:data'))
    expect(addValue(tagged, 'tag:team', 'web')).to.deep.equal(chips('filter[tag:team]=data&filter[tag:team]=web'))
    expect(addValue(chips('tag=team'), 'tag:team', 'data')).to.deep.equal(chips('filter[tag:team]=data'))
    expect(addTagKey([], 'team')).to.deep.equal(chips('tag=team'))
    expect(addTagKey(tagged, 'team')).to.deep.equal(tagged)
  })

  it('name a tag= only where that means the same', () => {
    expect(chipFor('tag:team', 'a:b')).to.deep.equal({ name: 'tag', value: 'team:a:b' })
    for (const [dim, value] of [
      ['tag:aws:created', 'ana'],
      ['tag:team', '(none)'],
      ['tag:team', ''],
    ] as const)
      expect(chipFor(dim, value)).to.deep.equal({ name: `filter[${dim}]`, value })
  })

  it('lead behind a group: its values, and the dimension behind the last of its own', () => {
    expect(drillDown([], { service_name: 'EC2' })).to.deep.equal({
      chips: chips('filter[service_name]=EC2'),
      dim: 'resource_type',
    })
    const deep = drillDown(chips('filter[service_name]=EC2&filter[service_name]=S3&cost=list&tag=env'), {
      service_name: 'EC2',
      resource_type: 'vm',
    })
    expect(deep).to.deep.equal({
      chips: chips('tag=env&filter[service_name]=EC2&filter[resource_type]=vm'),
      dim: 'resource_uid',
    })
    expect(drillDown(chips('filter[service_name]=EC2'), { 'tag:team': 'data' }).dim).to.equal('resource_type')
    expect(drillDown([], { provider: 'aws' }).dim).to.equal('cloud_account_id')
    expect([drillDown([], { cluster: 'c' }).dim, drillDown([], { namespace: 'n' }).dim]).to.deep.equal([
      'namespace',
      'resource_uid',
    ])
    expect(drillDown([], { region: '(none)' })).to.deep.equal({
      chips: chips('filter[region]=(none)'),
      dim: 'service_name',
    })
    expect(nextDim([])).to.equal('service_name')
  })

  it('of a receipt are the values of the group, whatever the dimension', () => {
    expect(groupQuery({ service_name: 'EC2', 'tag:team': '(none)' })).to.deep.equal({
      'filter[service_name]': 'EC2',
      'filter[tag:team]': '(none)',
    })
  })

  it('are left to reports without filter[...] only where these mean the same', () => {
    expect(plainQuery([])).to.deep.equal({})
    expect(plainQuery(chips('filter[region]=a&filter[region]=b&tag=team&tag=env:x&provider=aws,gcp'))).to.deep.equal({
      region: ['a', 'b'],
      tag: ['team', 'env:x'],
      provider: ['aws,gcp'],
    })
    // A comma would make two of it, both names at once narrow to what both allow, and the last ones have no other name.
    for (const search of [
      'filter[region]=a,b',
      'filter[region]=a&region=a',
      'filter[service_name]=a',
      'filter[tag:team]=a',
    ])
      expect(plainQuery(chips(search)), search).to.equal(undefined)
  })

  it('say of which costs anomalies and drivers are known', () => {
    expect(anomalyQuery([])).to.deep.equal({})
    expect(anomalyQuery(chips('filter[cloud_account_id]=a'))).to.deep.equal({ cloud_account_id: ['a'] })
    expect(anomalyQuery(chips('filter[team_id]=t'))).to.deep.equal({ team_id: ['t'] })
    expect(anomalyQuery(chips('filter[region]=a'))).to.equal(undefined)
    expect(anomalyQuery(chips('filter[team_id]=t&filter[team_id]=u'))).to.equal(undefined)
    expect(notDriven(chips('filter[region]=a&tag=team'))).to.equal(undefined)
    expect(notDriven(chips('filter[region]=a&filter[invoice_id]=1'))).to.deep.equal({
      name: 'filter[invoice_id]',
      value: '1',
    })
    for (const dim of ['cluster', 'namespace'])
      expect(notDriven(chips(`filter[${dim}]=a`))).to.deep.equal({ name: `filter[${dim}]`, value: 'a' })
    expect(notDriven(chips('filter[tag:team]=a'))).to.deep.equal({ name: 'filter[tag:team]', value: 'a' })
  })

  it('read a value out of the name of a node', () => {
    expect(valueOf('a%7Cb%257C')).to.equal('a|b%7C')
  })
})

describe('periods of a chart', () => {
  it('are their days, whole', () => {
    expect(daysOfPeriod('2026-01-31')).to.deep.equal({ from: '2026-01-31', to: '2026-01-31' })
    expect(daysOfPeriod('2026-02')).to.deep.equal({ from: '2026-02-01', to: '2026-02-28' })
    // The first week has the first Thursday: 2026 began on one, 2027 on a Friday, 2024 on a Monday.
    expect(daysOfPeriod('2026-W01')).to.deep.equal({ from: '2025-12-29', to: '2026-01-04' })
    expect(daysOfPeriod('2026-W53')).to.deep.equal({ from: '2026-12-28', to: '2027-01-03' })
    expect(daysOfPeriod('2027-W01')).to.deep.equal({ from: '2027-01-04', to: '2027-01-10' })
    expect(daysOfPeriod('2024-W01')).to.deep.equal({ from: '2024-01-01', to: '2024-01-07' })
  })
})

describe('what a figure of clusters is made of', () => {
  const asked = (search: string) => clusterQuery(queryOf(chipsOf(new URLSearchParams(search))))

  it('can be asked of one cluster, and of one namespace of it', () => {
    expect(asked('filter[cluster]=c&filter[namespace]=n&cloud_account_id=a')).to.deep.include({
      cluster: 'c',
      namespace: 'n',
      cloud_account_id: ['a'],
      kind: [],
    })
    expect(asked('filter[cluster]=c&filter[namespace]=(none)')).to.deep.include({
      namespace: undefined,
      kind: ['idle', 'overhead', 'unmeasured'],
    })
  })

  it('cannot be asked of anything else: it would be of more than the figure', () => {
    for (const search of [
      'filter[namespace]=n',
      'filter[cluster]=(none)',
      'filter[cluster]=c&filter[cluster]=d',
      'filter[cluster]=c&filter[namespace]=n&filter[namespace]=m',
      'filter[cluster]=c&filter[region]=r',
      'filter[cluster]=c&tag=team',
      'filter[cluster]=c&cloud_account_id=a&filter[cloud_account_id]=b',
    ])
      expect(asked(search), search).to.equal(undefined)
  })
})
