import { expect } from 'chai'
import { deepIt, sample } from '#test/harness/tier.ts'
import { reportWorld } from '#test/http/report/world.ts'

const january = 'from=2026-01-01&to=2026-01-31'

describe('costs by charge category, invoice and tag', () => {
  const world = reportWorld()
  const { line, bill, data, refused, discovered, team, assign } = world
  const breakdown = (query: string) => data(`/reports/costs/breakdown?${january}&${query}`)
  const nodes = async (query: string) =>
    Object.fromEntries((await breakdown(query)).nodes.map((node: any) => [node.id, node.valueUSD]))
  const receipt = async (query: string) => {
    const { items, totalUSD } = await data(`/reports/receipt?${january}&${query}`)
    return [totalUSD, items.map((item: any) => item.lineId).join(' ')]
  }

  /** r1 60 (two invoices) and r2 40 of team data, one by an accepted suggestion; r3 25 of ops; 5 of tax and -2 of a credit without a resource. */
  const five = async () => {
    await Promise.all([
      discovered('r1', { tags: { team: 'data', env: 'prod' } }),
      discovered('r2', { tags: { env: 'dev' } }),
      discovered('r3', { tags: { team: 'ops' }, type: 'gcp-vm' }),
    ])
    await world.insert('accepted_tag', [
      { org_id: world.org, resource_uid: 'r2', source: 'smart', tags: { team: 'data' }, x_Version: '1' },
    ])
    await bill(
      line('1', '45.5', { ResourceId: 'r1', InvoiceId: 'inv-1' }),
      line('1b', '14.5', { ResourceId: 'r1', InvoiceId: 'inv-2' }),
      line('2', '40', { ResourceId: 'r2', InvoiceId: 'inv-1', x_Day: '2026-01-02' }),
      line('3', '25', { ResourceId: 'r3', x_Provider: 'gcp', x_Day: '2026-01-31' }),
      line('4', '5', { ChargeCategory: 'Tax', ServiceName: 'Tax', InvoiceId: 'inv-1' }),
      line('5', '-2', { ChargeCategory: 'Credit', ServiceName: 'Credits' }),
      line('6', '99', { ResourceId: 'r1', InvoiceId: 'inv-3', x_Day: '2026-02-01' }),
    )
  }

  it('are nodes of the cost flow, alone and beside others, that sum to its total [REP-03] [REP-10]', async () => {
    await world.shared(five)
    const alone: readonly [dim: string, costs: Record<string, number>][] = [
      ['charge_category', { Usage: 125, Tax: 5, Credit: -2 }],
      ['invoice_id', { 'inv-1': 90.5, '(none)': 23, 'inv-2': 14.5 }],
      ['tag:team', { data: 100, ops: 25, '(none)': 3 }],
    ]
    // In `npm test` the first: all three are what costs are grouped by too.
    for (const [dim, costs] of sample(alone, 1)) expect(await nodes(`dims=${dim}`)).to.deep.equal(costs)
    const flow = await breakdown('dims=tag:team,invoice_id,tag:env')
    expect(flow.totalUSD).to.equal(128)
    expect(flow.links.map((link: any) => [link.source, link.target, link.valueUSD])).to.deep.equal([
      ['data', 'data|inv-1', 85.5],
      ['ops', 'ops|(none)', 25],
      ['data', 'data|inv-2', 14.5],
      ['(none)', '(none)|inv-1', 5],
      ['(none)', '(none)|(none)', -2],
      ['data|inv-1', 'data|inv-1|prod', 45.5],
      ['data|inv-1', 'data|inv-1|dev', 40],
      ['ops|(none)', 'ops|(none)|(none)', 25],
      ['data|inv-2', 'data|inv-2|prod', 14.5],
      ['(none)|inv-1', '(none)|inv-1|(none)', 5],
      ['(none)|(none)', '(none)|(none)|(none)', -2],
    ])
    expect(flow.nodes[0]).to.deep.equal({ id: 'data', dim: 'tag:team', valueUSD: 100 })
    expect(await nodes('dims=tag:team,resource_uid&filter[tag:team]=data')).to.deep.equal({
      data: 100,
      'data|r1': 60,
      'data|r2': 40,
    })
  })

  it('group costs as they divide them, each with its resources [REP-23]', async () => {
    await world.shared(five)
    const rows = async (group: string) => {
      const { items } = await data(`/reports/costs/resources?${january}&group_by=${group}`)
      return items.map(({ key, label, costUSD, resourceCount }: any) => [key, label === key, costUSD, resourceCount])
    }
    expect(await rows('charge_category')).to.deep.equal([
      ['Usage', true, 125, 3],
      ['Tax', true, 5, 0],
      ['Credit', true, -2, 0],
    ])
    expect(await rows('invoice_id')).to.deep.equal([
      ['inv-1', true, 90.5, 2],
      ['(none)', true, 23, 1],
      ['inv-2', true, 14.5, 1],
    ])
    expect(await rows('tag:team')).to.deep.equal([
      ['data', true, 100, 2],
      ['ops', true, 25, 1],
      ['(none)', true, 3, 0],
    ])
  })

  it('narrow, values of one as alternatives and several together, with what has none as (none) [REP-11]', async () => {
    await world.shared(five)
    const total = async (filter: string) => (await breakdown(`dims=provider&${filter}`)).totalUSD
    const cases: readonly [filter: string, costUSD: number][] = [
      ['filter[charge_category]=Tax&filter[charge_category]=Credit', 3],
      ['filter[charge_category]=Tax', 5],
      ['filter[invoice_id]=inv-2&filter[invoice_id]=(none)', 37.5],
      ['filter[invoice_id]=inv-1', 90.5],
      ['filter[tag:team]=data', 100],
      ['filter[tag:team]=data&filter[tag:team]=(none)', 103],
      ['filter[tag:team]=nobody', 0],
      ['filter[tag:team]=data&filter[tag:env]=dev', 40],
      ['filter[invoice_id]=inv-1&filter[resource_uid]=r2', 40],
      ['filter[tag:team]=data&filter[invoice_id]=inv-1&filter[charge_category]=Usage', 85.5],
    ]
    const asked = sample(cases, 5)
    const totals = await Promise.all(asked.map(([filter]) => total(filter)))
    expect(totals).to.deep.equal(asked.map(([, costUSD]) => costUSD))
  })

  deepIt('narrow a page of resources too, and what they are compared with [REP-11] [REP-24]', async () => {
    await world.shared(five)
    const page = async (query: string, days = january) => {
      const { items, total } = await data(`/reports/costs/resources?${days}&group_by=resource&${query}`)
      return [total, ...items.map(({ key, costUSD }: any) => `${key} ${costUSD}`)]
    }
    expect(await page('filter[charge_category]=Tax&filter[charge_category]=Credit')).to.deep.equal([1, '(none) 3'])
    expect(await page('filter[charge_category]=Usage&limit=2')).to.deep.equal([3, 'r1 60', 'r2 40'])
    expect(await page('filter[invoice_id]=inv-1')).to.deep.equal([3, 'r1 45.5', 'r2 40', '(none) 5'])
    expect(await page('filter[tag:team]=data&filter[tag:env]=dev')).to.deep.equal([1, 'r2 40'])
    expect(await page('filter[service_name]=Tax')).to.deep.equal([1, '(none) 5'])
    expect(await page('filter[provider]=gcp&filter[resource_uid]=r3&filter[resource_uid]=r1')).to.deep.equal([
      1,
      'r3 25',
    ])
    expect(await page('filter[purchase_type]=spot')).to.deep.equal([0])
    const february = 'from=2026-02-01&to=2026-02-28&compare=previous&group_by=resource'
    const { items } = await data(
      `/reports/costs/resources?${february}&filter[invoice_id]=inv-2&filter[invoice_id]=inv-3`,
    )
    expect(items.map((row: any) => [row.key, row.costUSD, row.previousUSD])).to.deep.equal([['r1', 99, 14.5]])
    expect(
      await refused(`/reports/costs/resources?${january}&group_by=resource_type&filter[region]=a&filter[tag:team]=b`),
    ).to.deep.equal(['filter[region]: group_by', 'filter[tag:team]: group_by'])
    expect(await refused(`/reports/costs/resources?filter[region]=a`)).to.deep.equal(['filter[region]: group_by'])
  })

  deepIt('lead from each node to its lines, which sum to it exactly', async () => {
    await world.shared(five)
    expect(await receipt('filter[charge_category]=Credit')).to.deep.equal(['-2', '5'])
    expect(await receipt('filter[invoice_id]=inv-1')).to.deep.equal(['90.5', '2 1 4'])
    expect(await receipt('filter[invoice_id]=(none)')).to.deep.equal(['23', '5 3'])
    expect(await receipt('filter[tag:team]=data')).to.deep.equal(['100', '2 1 1b'])
    expect(await receipt('filter[tag:team]=(none)')).to.deep.equal(['3', '4 5'])
    expect(await receipt('filter[tag:team]=data&filter[invoice_id]=inv-1&filter[tag:env]=prod')).to.deep.equal([
      '45.5',
      '1',
    ])
  })

  deepIt('hold to what the caller may see, to teams and to tags that narrow already [REP-43]', async () => {
    await five()
    await team('core', 'Core')
    await assign('core', 'r1', 'r3')
    expect(await nodes('dims=team_id,invoice_id&tag=env:prod')).to.deep.equal({
      core: 60,
      'core|inv-1': 45.5,
      'core|inv-2': 14.5,
    })
    world.seeOnly({ teamIDs: ['core'] })
    expect(await nodes('dims=invoice_id')).to.deep.equal({ 'inv-1': 45.5, '(none)': 25, 'inv-2': 14.5 })
    expect(await nodes('dims=tag:team')).to.deep.equal({ data: 60, ops: 25 })
    expect(await receipt('filter[tag:team]=data&filter[tag:team]=ops')).to.deep.equal(['85', '1 1b 3'])
  })

  it('say what is asked too much, and what invoices cannot answer', async () => {
    const seven = Array.from({ length: 7 }, (_, i) => `filter[tag:k${i}]=v`).join('&')
    const wrong = (query: string) => refused(`/reports/costs/breakdown?${january}&${query}`)
    expect(await wrong(`dims=provider&${seven}`)).to.deep.equal(['dims: maxItems'])
    expect(await refused(`/reports/receipt?${january}&${seven}`)).to.deep.equal(['filter: maxItems'])
    expect(await wrong('dims=tag:')).to.deep.equal(['dims: enum'])
    expect(await wrong('dims=provider&filter[charge_category]=Taxes')).to.deep.equal(['filter[charge_category]: enum'])
    expect(await wrong('dims=provider&filter[tags:team]=data')).to.deep.equal(['filter[tags:team]: unknown_parameter'])
    expect(await wrong('dims=tag:team,tag:team')).to.deep.equal(['dims: uniqueItems'])
    const asOf = 'asOf=2026-01-19T00:00:00Z'
    expect(await wrong(`dims=invoice_id&${asOf}`)).to.deep.equal(['asOf: invoice_id'])
    expect(await refused(`/reports/receipt?${january}&filter[invoice_id]=inv-1&${asOf}`)).to.deep.equal([
      'asOf: invoice_id',
    ])
    expect(await nodes(`dims=tag:team&${asOf}`)).to.deep.equal({})
  })
})
