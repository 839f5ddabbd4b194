import { expect } from 'chai'
import { clusterQuery } from '#http/console/web/cluster-query.ts'

describe('the receipt of a cluster’s figure', () => {
  const days = { from: ['2026-01-01'], to: ['2026-01-31'] }

  it('is requested with the filters of the figure, by names that the API knows', () => {
    const query = clusterQuery({ ...days, 'filter[cluster]': ['c-1'], 'filter[namespace]': ['shop'], pod: ['api-1'] })
    expect(query).to.deep.equal({
      from: '2026-01-01',
      to: '2026-01-31',
      cost: undefined,
      controller: undefined,
      pod: 'api-1',
      cloud_account_id: [],
      cluster: 'c-1',
      namespace: 'shop',
      kind: [],
    })
  })

  it('of no namespace has what was idle, overhead and unmeasured, unless one of these is chosen', () => {
    const none = { ...days, 'filter[cluster]': ['c-1'], 'filter[namespace]': ['(none)'] }
    const kindsOf = (more: object) => {
      const { namespace, kind } = clusterQuery({ ...none, ...more })!
      return [namespace, kind]
    }
    expect(kindsOf({})).to.deep.equal([undefined, ['idle', 'overhead', 'unmeasured']])
    expect(kindsOf({ kind: ['idle'] })).to.deep.equal([undefined, ['idle']])
  })

  it('does not exist for several clusters, for no cluster, or for filters that the API cannot apply to its rows', () => {
    const one = { ...days, 'filter[cluster]': ['c-1'] }
    const wrong = [
      days,
      { ...days, 'filter[cluster]': ['c-1', 'c-2'] },
      { ...days, 'filter[cluster]': ['(none)'] },
      { ...one, 'filter[namespace]': ['a', 'b'] },
      { ...one, 'filter[service_name]': ['database'] },
      { ...one, label: ['team=shop'] },
      { ...one, cloud_account_id: ['a-1'], 'filter[cloud_account_id]': ['a-1'] },
    ]
    expect(wrong.map(clusterQuery)).to.deep.equal(wrong.map(() => undefined))
    expect(clusterQuery({ ...one, cloud_account_id: ['a-1'] })).to.deep.include({ cloud_account_id: ['a-1'] })
  })
})
