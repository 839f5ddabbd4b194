import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { commanded, tidemark } from '#test/harness/command.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const line = (usageDate: string, costUSD: number) => ({
  ...billingLine.examples[0]!,
  lineId: `l-${usageDate}`,
  cloudAccountId: 'acct-1|%',
  costUSD,
  usageDate,
  exportedAt: '2026-02-01T00:00:00Z',
})

describe('tidemark rebuild', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    await org.publish(billingLine, [line('2026-01-10', 2), line('2026-01-11', 3), line('2026-01-12', 4)] as never)
  })
  const billed = async () =>
    Object.fromEntries(
      (
        await org.facts<{ day: string; billed: string }>(
          'SELECT toString(day) AS day, toString(sum(billed_cost)) AS billed FROM cost_daily WHERE org_id = {org:String} GROUP BY day',
          { org: org.orgId },
        )
      ).map(({ day, billed }) => [day, billed]),
    )

  it('recomputes the days that are named, and no others, from their lines', async () => {
    await org.connections.clickhouse.command({
      query: 'ALTER TABLE cost_daily_slot DELETE WHERE org_id = {org:String}',
      query_params: { org: org.orgId },
      clickhouse_settings: { mutations_sync: '2' },
    })
    expect(await billed()).to.deep.equal({})
    const given = ['--org', org.orgId, '--from', '2026-01-09', '--to', '2026-01-11', '--wait']
    expect(await tidemark('rebuild', ...given)).to.deep.include({ days: 2, accounts: 1 })
    expect(await billed()).to.deep.equal({ '2026-01-10': '2', '2026-01-11': '3' })
  })

  it('says so where there is nothing to recompute, and refuses what is no span of days', async () => {
    const { stdout } = await commanded('rebuild', '--org', org.orgId, '--from', '2020-01-01', '--to', '2020-01-31')
    expect(stdout).to.equal('No account has costs or bill lines from 2020-01-01 to 2020-01-31.\n')
    const refusal = async (from: string, to: string) =>
      commanded('rebuild', '--org', org.orgId, '--from', from, '--to', to).then(
        () => expect.fail('it was accepted'),
        ({ code, stderr }) => [code, stderr],
      )
    expect(await refusal('2026-02-30', '2026-03-01')).to.deep.equal([
      2,
      'tidemark rebuild: --from must be a day such as 2026-01-31, got "2026-02-30"\n',
    ])
    expect((await refusal('2026-03-01', '2026-02-01'))[0]).to.equal(2)
  })
})
