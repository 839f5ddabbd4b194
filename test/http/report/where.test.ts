import { expect } from 'chai'
import { clausesOf, whereQuestion } from '#http/report/filter/where.ts'
import { sample } from '#test/harness/tier.ts'
import { reportWorld } from '#test/http/report/world.ts'

const { stringify } = JSON
const is = (dim: string, ...values: string[]) => ({ dim, op: 'is', values })
const contains = (dim: string, ...values: string[]) => ({ dim, op: 'contains', values })

describe('conditions of reports', () => {
  const clauses = (where: object) =>
    clausesOf(stringify(where)).map((clause) =>
      clause.map(({ dim, test, values }) => `${dim} ${test} ${values.join()}`),
    )

  it('become clauses, of each of which one condition holds', () => {
    expect(clauses(is('region', 'a', 'b'))).to.deep.equal([['region is a,b']])
    expect(
      clauses({ all: [is('region', 'a'), { any: [is('provider', 'aws'), { dim: 'tag:team', op: 'empty' }] }] }),
    ).to.deep.equal([['region is a'], ['provider is aws', 'tag:team is ']])
    // a or (b and c) is (a or b) and (a or c).
    expect(clauses({ any: [is('region', 'a'), { all: [is('region', 'b'), is('region', 'c')] }] })).to.deep.equal([
      ['region is a', 'region is b'],
      ['region is a', 'region is c'],
    ])
  })

  it('find a service under every name it has in bills', () => {
    const names = ['Amazon Elastic Compute Cloud', 'Amazon Elastic Compute Cloud - Compute', 'AmazonEC2']
    const [found] = clausesOf(stringify(is('service_name', 'AmazonEC2')))
    expect(found![0]!.values.toSorted()).to.include.members(names.slice(0, 1))
    const [either] = clausesOf(stringify(contains('service_name', 'elastic compute')))
    expect(either!.map(({ test }) => test)).to.deep.equal(['contains', 'is'])
    expect(either![1]!.values).to.include('AmazonEC2')
    const neither = clausesOf(stringify({ dim: 'service_name', op: 'not_contains', values: ['elastic compute'] }))
    expect(neither.map((clause) => clause.map(({ test }) => test))).to.deep.equal([['not_contains'], ['is_not']])
  })

  it('are numbered from 1 over all clauses', () => {
    const given = clausesOf(
      stringify({ all: [{ any: [is('region', 'a'), is('tag:team', 'x')] }, is('provider', 'gcp')] }),
    )
    expect(whereQuestion(given, (dim) => (dim === 'tag:team' ? 'tag1' : dim))).to.deep.equal({
      where_dims: ['region', 'tag1', 'provider'],
      where_tests: ['is', 'is', 'is'],
      where_values: [['a'], ['x'], ['gcp']],
      where_clauses: [[1, 2], [3]],
    })
  })

  const nested = (depth: number): object => (depth === 0 ? is('region', 'a') : { all: [nested(depth - 1)] })
  const pair = { all: [is('region', 'a'), is('region', 'b')] }
  const wrong: readonly (readonly [what: string, where: string, code: string, message: string])[] = [
    ['no JSON', 'region=a', 'format', 'must be JSON'],
    ['a list', '[]', 'type', 'must be an object with all, any or dim'],
    ['an empty list', '{"any":[]}', 'minItems', 'where.any must be a list with at least one item'],
    ['all next to any', '{"all":[],"any":[]}', 'additionalProperties', 'cannot have any next to all'],
    ['an unknown dimension', stringify(is('regoin', 'a')), 'enum', 'where.dim must be one of provider'],
    ['invoices', stringify({ all: [is('invoice_id', 'a')] }), 'enum', 'where.all[0].dim must be one of provider'],
    [
      'an unknown comparison',
      '{"dim":"region","op":"like","values":["a"]}',
      'enum',
      'where.op must be one of is, is_not',
    ],
    ['no values', '{"dim":"region","op":"is"}', 'minItems', 'where.values must be a list of 1 to 100 texts'],
    ['a number', '{"dim":"region","op":"is","values":[1]}', 'type', 'where.values must be texts that are not empty'],
    [
      'values of empty',
      '{"dim":"region","op":"empty","values":["a"]}',
      'additionalProperties',
      'where.values must be left out',
    ],
    ['a further member', '{"dim":"region","op":"empty","not":1}', 'additionalProperties', 'has an unknown member not'],
    ['too deep a nesting', stringify(nested(4)), 'maxDepth', 'is nested more than 4 deep'],
    [
      'too many conditions',
      stringify({ all: Array.from({ length: 21 }, () => is('region', 'a')) }),
      'maxItems',
      'at most 20 conditions',
    ],
    // 2 to the power of 7 combinations.
    [
      'too many combinations',
      stringify({ any: Array.from({ length: 7 }, () => pair) }),
      'complexity',
      'has too many combinations',
    ],
  ]
  for (const [what, where, code, message] of wrong)
    it(`refuse ${what}`, () => {
      expect(() => clausesOf(where))
        .to.throw(message)
        .with.nested.property('detail.errors[0]')
        .that.includes({ in: 'query', name: 'where', code })
    })
})

describe('reports narrowed by conditions', () => {
  const world = reportWorld()
  const { line, bill, data, refused, discovered } = world
  const january = 'from=2026-01-01&to=2026-01-31'
  const narrowed = (where: object, more = '') => `${january}&where=${encodeURIComponent(stringify(where))}${more}`
  const total = async (where: object) => (await data(`/reports/costs/series?${narrowed(where)}`)).total.costUSD
  const receipt = async (where: object) => {
    const { items, totalUSD } = await data(`/reports/receipt?${narrowed(where)}`)
    return [totalUSD, items.map((item: any) => item.lineId).join(' ')]
  }

  /** compute 60 and 20 in two regions, database 9 of team data, 5 of tax without a resource and a region. */
  const four = async () => {
    await discovered('r1', { tags: { team: 'data' } })
    await bill(
      line('1', '60', { ResourceId: 'r3', RegionId: 'eu-west-1' }),
      line('2', '20', { ResourceId: 'r2', RegionId: 'us-east-1' }),
      line('3', '9', { ResourceId: 'r1', RegionId: 'eu-west-1', ServiceName: 'Database' }),
      line('4', '5', { RegionId: '', ServiceName: 'Tax', ChargeCategory: 'Tax' }),
    )
  }

  it('contain what each comparison says, and their receipts the same lines', async () => {
    await world.shared(four)
    const each: readonly (readonly [where: object, lines: string, costUSD: number])[] = [
      [is('region', 'eu-west-1'), '1 3', 69],
      [{ dim: 'region', op: 'is_not', values: ['eu-west-1', 'us-east-1'] }, '4', 5],
      [contains('service_name', 'DATA'), '3', 9],
      [{ dim: 'service_name', op: 'not_contains', values: ['data', 'ta'] }, '1 2', 80],
      [{ dim: 'region', op: 'empty' }, '4', 5],
      [{ dim: 'tag:team', op: 'not_empty' }, '3', 9],
      [{ dim: 'resource_uid', op: 'is_not', values: ['r1', '(none)'] }, '1 2', 80],
      [
        { any: [is('tag:team', 'data'), { all: [is('service_name', 'compute'), contains('region', 'US')] }] },
        '2 3',
        29,
      ],
    ]
    for (const [where, lines, costUSD] of sample(each, 3)) {
      expect([stringify(where), await total(where)]).to.deep.equal([stringify(where), costUSD])
      expect([stringify(where), ...(await receipt(where))]).to.deep.equal([stringify(where), String(costUSD), lines])
    }
  })

  it('are the same figure in every report', async () => {
    await world.shared(four)
    const where = { any: [contains('region', 'us-'), { dim: 'tag:team', op: 'not_empty' }] }
    const at = async (path: string, more = '') => data(`/reports/${path}?${narrowed(where, more)}`)
    expect((await at('summary')).totalCostUSD).to.equal(29)
    expect((await at('costs/breakdown', '&dims=service_name')).totalUSD).to.equal(29)
    const { items } = await at('cost-history', '&granularity=monthly')
    expect(items.map(({ costUSD }: { costUSD: number }) => costUSD)).to.deep.equal([29])
    const page = await at('costs/resources', '&group_by=resource')
    expect(page.items.map(({ key, costUSD }: any) => [key, costUSD])).to.deep.equal([
      ['r2', 20],
      ['r1', 9],
    ])
  })

  it('refuse invoices together with clusters', async () => {
    const path = `/reports/costs/series?${narrowed(is('cluster', 'c'), '&dims=invoice_id')}`
    expect(await refused(path)).to.deep.equal(['dims: cluster'])
  })

  it('are refused where rows are not narrowed by them', async () => {
    const path = `/reports/costs/resources?${narrowed(is('region', 'a'), '&group_by=charge_category')}`
    expect(await refused(path)).to.deep.equal(['where: group_by'])
  })
})
