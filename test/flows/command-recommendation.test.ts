import { expect } from 'chai'
import { commanded, rowsOf, tidemark } from '#test/harness/command.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { recommended } from '#test/harness/recommendation.ts'

describe('commands of recommendations, beside a running product', () => {
  let org: Tenant
  let ids: string[]
  let of: string[]
  before(async () => {
    org = await tenant()
    ids = await recommended(
      org,
      { savings_usd: 5.5, current_cost_usd: 20 },
      { savings_usd: 70, resource_uid: 'i-2', status: 'dismissed', title: 'Stop EC2 instance db.' },
    )
    of = ['--org', org.orgId]
  })

  it('list them, the largest savings first, and those of a status or a text alone', async () => {
    const { stdout } = await commanded('recommendations', 'list', ...of)
    expect(rowsOf(stdout)).to.deep.equal([
      [ids[1], 'dismissed', 'medium', '70.00', 'Stop EC2 instance db.'],
      [ids[0], 'open', 'medium', '5.50', 'Stop EC2 instance web.'],
    ])
    const narrowed = ['--status', 'dismissed', '--search', 'DB', '--limit', '1']
    const found = (await tidemark('recommendations', 'list', ...of, ...narrowed)) as any[]
    expect(found.map(({ id }) => id)).to.deep.equal([ids[1]])
  })

  it('show one, with its steps and its evidence', async () => {
    const { stdout } = await commanded('recommendations', 'show', ...of, '--id', ids[0]!)
    expect(stdout.trimEnd().split('\n')).to.deep.equal([
      `${ids[0]}  open  medium  5.50 USD  Stop EC2 instance web.`,
      'The processor never rose above 5%.',
      'Current cost: 20.00 USD per 30 days.',
      '1. Ask the owner, then stop the instance.',
      '2. Attached volumes keep their data.',
      'metric: "cpu_percent"',
      'p95: 2.1',
      'windowDays: 14',
    ])
  })

  it('begin a look at everything, and refuse what is no status or no id', async () => {
    const { refreshID, status } = (await tidemark('recommendations', 'refresh', ...of)) as any
    expect([status, refreshID.length]).to.deep.equal(['queued', 36])
    for (const [args, code] of [
      [['list', ...of, '--status', 'closed'], 2],
      [['dismiss', ...of], 2],
      [['apply', ...of, '--id', 'none'], 1],
    ] as const) {
      const failed = await commanded('recommendations', ...args).then(
        () => 0,
        (error: { code: number }) => error.code,
      )
      expect(failed, args.join(' ')).to.equal(code)
    }
  })
})
