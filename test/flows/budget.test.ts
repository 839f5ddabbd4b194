import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { amount, deepIt, isDeep } from '#test/harness/tier.ts'

describe('alerts of budgets', () => {
  let org: Tenant
  let events: { id: string; type: string; orgId: string; data: any }[]
  let heard: { unsubscribe(): void }
  beforeEach(async () => {
    org = await tenant()
    events = []
    heard = org.connections.nats.subscribe(`event.budget.${org.orgId}.>`, {
      callback: (_error, message) => void events.push(message.json<any>()),
    })
    await org.connections.nats.flush()
  })
  afterEach(() => heard.unsubscribe())

  const spend = async (uid: string, costUSD: number) => {
    const [usageDate, exportedAt] = [new Date().toISOString().slice(0, 10), new Date().toISOString()]
    const fixed = {
      cloudAccountId: 'acct-1',
      provider: 'aws',
      serviceName: 'Compute',
      purchaseType: 'on_demand',
    } as const
    const line = { ...fixed, lineId: uid, ResourceId: uid, usageDate, costUSD, source: 'actual', exportedAt } as const
    await org.publish(billingLine, [line])
  }
  const evaluate = async () => {
    const run = await org.send('POST', '/internal/jobs/budget-evaluation/run', { orgId: org.orgId })
    expect(run.status, JSON.stringify(run.body)).to.equal(202)
  }
  const types = () => events.map(({ type }) => type)
  const heardOf = (count: number) => until(`event ${count}`, () => events.length >= count)

  it('are told once on reaching the threshold and once on reaching the budget, again after an edit [BUD-10] [BUD-11]', async () => {
    const team = (await org.send('POST', '/teams', { name: 'Core' })).body.data.id
    await org.send('POST', `/teams/${team}/resources`, { resourceUIDs: ['i-1'] })
    const body = { teamName: 'Core', monthlyBudgetUSD: 1000, alertThresholdPercent: 80 }
    const { id } = (await org.send('POST', '/budgets', body)).body.data
    // In `npm test` test/actors/budget.test.ts alone holds what is said of amounts in between.
    for (const usd of isDeep ? [799.99, 800, 999.99, 1000, 700, 1200] : [800, 1200]) {
      await spend('i-1', usd)
      await evaluate()
      if (isDeep) await evaluate()
    }
    await heardOf(2)
    // An edit that leaves it red: had anything been told in between, it would stand before this.
    await org.send('PUT', `/budgets/${id}`, { monthlyBudgetUSD: 1100 })
    await evaluate()
    await evaluate()
    await heardOf(3)
    expect(types()).to.deep.equal(['budget.warning', 'budget.exceeded', 'budget.exceeded'])
    const said = events.map(({ data }) => [
      data.data.currentSpendUSD,
      data.data.monthlyBudgetUSD,
      data.data.percentUsed,
    ])
    expect(said).to.deep.equal([[800, 1000, 80], isDeep ? [1000, 1000, 100] : [1200, 1000, 120], [1200, 1100, 109.09]])
    expect(events[0]!.orgId).to.equal(org.orgId)
    expect(events[0]!.data).to.deep.include({
      eventType: 'budget.warning',
      name: 'Budget Warning',
      category: 'budget',
      orgID: org.orgId,
      scope: { type: 'team', id: team },
    })
    expect(new Set(events.map(({ data }) => data.id)).size).to.equal(3)
  })

  it('are looked for as often as that is asked: each of several at the same time hears of its own end', async () => {
    await Promise.all(Array.from({ length: amount(3, 10, 10) }, evaluate))
  })

  deepIt(
    'of a resource group that jumps over its budget say so alone, and end with the budget [BUD-05] [BUD-11]',
    async () => {
      const members = [{ resourceUID: 'i-2' }]
      const group = (await org.send('POST', '/resource-groups', { name: 'Shop', members })).body.data.id
      const body = { resourceGroupID: group, monthlyBudgetUSD: 10 }
      const { id } = (await org.send('POST', '/budgets', body)).body.data
      const kept = () =>
        org.connections.store.pool.query('select level from budget_alert where org_id = $1', [org.orgId])
      await spend('i-2', 25)
      await evaluate()
      await heardOf(1)
      expect((await kept()).rows).to.deep.equal([{ level: 2 }])
      expect((await org.send('DELETE', `/budgets/${id}`)).status).to.equal(204)
      expect((await kept()).rows).to.deep.equal([])
      const other = (await org.send('POST', '/budgets', { ...body, monthlyBudgetUSD: 30 })).body.data.id
      await evaluate()
      await heardOf(2)
      expect(events.map(({ type, data }) => [type, data.data.budgetID, data.scope, data.title])).to.deep.equal([
        ['budget.exceeded', id, { type: 'resource_group', id: group }, 'The budget of resource group Shop is exceeded'],
        [
          'budget.warning',
          other,
          { type: 'resource_group', id: group },
          'The budget of resource group Shop is nearly used up',
        ],
      ])
    },
  )

  deepIt(
    'of an account and of a tag are told like those of teams, to subscriptions of the account or of all',
    async () => {
      await spend('i-3', 25)
      const scopes = [
        { kind: 'cloud_account', id: 'acct-1' },
        { kind: 'tag', id: 'env:prod' },
      ]
      for (const scope of scopes) await org.send('POST', '/budgets', { scope, monthlyBudgetUSD: 20 })
      await evaluate()
      await heardOf(1)
      // Nothing has the tag: 0 of 20 dollars.
      expect(events.map(({ type, data }) => [type, data.scope, data.title, data.data.percentUsed])).to.deep.equal([
        ['budget.exceeded', { type: 'cloud_account', id: 'acct-1' }, 'The budget of account acct-1 is exceeded', 125],
      ])
    },
  )
})
