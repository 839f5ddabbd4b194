import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'

const today = new Date().toISOString().slice(0, 10)

const line = (ResourceId: string, account: string, serviceName: string, costUSD: number, Tags: object = {}) => ({
  lineId: ResourceId,
  cloudAccountId: account,
  provider: account === 'acct-3' ? ('azure' as const) : ('aws' as const),
  serviceName,
  usageDate: today,
  costUSD,
  ResourceId,
  Tags: JSON.stringify(Tags),
  purchaseType: 'on_demand' as const,
  source: 'actual' as const,
  exportedAt: new Date().toISOString(),
})

describe('budgets of more than teams and groups', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    await org.publish(billingLine, [
      line('i-1', 'acct-1', 'Compute', 10, { env: 'prod' }),
      line('i-2', 'acct-1', 'AmazonEC2', 20, { env: 'test' }),
      line('i-3', 'acct-2', 'Compute', 40, { env: 'prod' }),
      line('i-4', 'acct-3', 'Compute', 100, { Env: 'prod' }),
      line('i-5', 'acct-2', 'Tax', 5, { Env: 'prod' }),
    ])
  })
  const make = (scope: object, more: object = {}) =>
    org.send('POST', '/budgets', { scope, monthlyBudgetUSD: 1000, ...more })
  const made = async (scope: object, more: object = {}) => {
    const answer = await make(scope, more)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    return answer.body.data
  }
  const list = async (): Promise<any[]> => (await org.get('/budgets')).body.data
  const refusal = ({ status, body }: any) => [status, body.errors?.map((e: any) => `${e.name} ${e.code}`) ?? body.code]
  afterEach(async () => {
    for (const { id } of await list()) await org.send('DELETE', `/budgets/${id}`)
  })

  it('spend what their costs are: all, of an account, of a service by any of its names, of a tag as reports compare it', async () => {
    const spends = [
      [{ kind: 'org' }, 'Organization', 175],
      [{ kind: 'cloud_account', id: 'acct-1' }, 'acct-1', 30],
      [{ kind: 'service', id: 'Compute' }, 'Compute', 150],
      [{ kind: 'service', id: 'Amazon Elastic Compute Cloud' }, 'Amazon Elastic Compute Cloud', 20],
      [{ kind: 'service', id: 'Not billed yet' }, 'Not billed yet', 0],
      // Keys of Azure are the same in upper and lower case, others are not: 10 + 40 + 100.
      [{ kind: 'tag', id: 'env:prod' }, 'env:prod', 150],
      [{ kind: 'tag', id: 'env:none' }, 'env:none', 0],
      // 100 + 5.
      [{ kind: 'tag', id: 'Env:prod' }, 'Env:prod', 105],
    ] as const
    for (const [scope, name, spend] of spends) {
      const { teamName, resourceGroupID, currentSpendUSD, ...rest } = await made(scope)
      expect([teamName, resourceGroupID, currentSpendUSD], name).to.deep.equal(['', '', spend])
      expect(rest.scope).to.deep.equal({ id: '', ...scope, name })
    }
    expect((await list()).map(({ currentSpendUSD }) => currentSpendUSD)).to.deep.equal([
      175, 150, 150, 105, 30, 20, 0, 0,
    ])
    expect((await org.get('/budgets/summary')).body.data).to.deep.include({ totalSpendUSD: 630, budgetCount: 8 })
  })

  it('are one for each scope, of things that are known', async () => {
    const scopes = [
      { kind: 'org' },
      { kind: 'cloud_account', id: 'acct-1' },
      { kind: 'service', id: 'Compute' },
      { kind: 'tag', id: 'env:prod' },
      { kind: 'team', name: 'Core' },
    ]
    for (const scope of scopes) await made(scope)
    for (const scope of scopes) expect(refusal(await make(scope))).to.deep.equal([409, 'already_exists'])
    expect(refusal(await org.send('POST', '/budgets', { teamName: 'core', monthlyBudgetUSD: 1 }))[0]).to.equal(409)
    for (const [scope, wrong] of [
      [{ kind: 'cloud_account', id: 'acct-9' }, '/scope/id unknown'],
      [{ kind: 'cloud_account' }, '/scope/id required'],
      [{ kind: 'service', id: ' ' }, '/scope/id required'],
      [{ kind: 'team', id: 'Core' }, '/scope/name required'],
      [{ kind: 'tag', id: 'env' }, '/scope/id format'],
      [{ kind: 'tag', id: ':prod' }, '/scope/id format'],
      [{ kind: 'region', id: 'eu' }, '/scope/kind enum'],
    ] as const)
      expect(refusal(await make(scope)), wrong).to.deep.equal([400, [wrong]])
  })

  it('move to another scope, also by the older fields, and stay where a caller sends back what it read', async () => {
    const budget = await made({ kind: 'org' })
    const put = async (body: object) => (await org.send('PUT', `/budgets/${budget.id}`, body)).body.data
    expect(await put(budget)).to.deep.equal(budget)
    const tag = await put({ ...budget, scope: { kind: 'tag', id: String.raw`a\:b:c:d` } })
    expect(tag.scope).to.deep.equal({ kind: 'tag', id: String.raw`a\:b:c:d`, name: String.raw`a\:b:c:d` })
    const team = await put({ ...tag, teamName: 'Core' })
    expect([team.scope, team.teamName]).to.deep.equal([{ kind: 'team', id: '', name: 'Core' }, 'Core'])
    expect((await put({ ...team, scope: { kind: 'org' } })).teamName).to.equal('')
  })

  it('are seen by a role limited to an account where they are for it, and replayed by what-if', async () => {
    await made({ kind: 'org' })
    const own = await made({ kind: 'cloud_account', id: 'acct-1' })
    const permissions = ['service.view', 'service.create']
    const reportScope = { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [] }
    const role = await org.send('POST', '/roles', { name: 'narrow', permissions, reportScope })
    const ben = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role.body.data.id)
    const benAsks = (method: string, path: string, body?: object) => ask(method, path, { token: ben.accessToken, body })
    expect((await benAsks('GET', '/budgets')).body.data).to.deep.equal([own])
    const other = { scope: { kind: 'service', id: 'Compute' }, monthlyBudgetUSD: 1 }
    expect((await benAsks('POST', '/budgets', other)).status).to.equal(403)
    const whatIf = (scope: object) => ({
      kind: 'budget',
      from: today,
      to: today,
      change: { scope, monthlyBudgetUSD: 100 },
    })
    expect((await benAsks('POST', '/what-if', whatIf({ kind: 'org' }))).status).to.equal(404)
    const unknown = await org.send('POST', '/what-if', whatIf({ kind: 'tag', id: 'env' }))
    expect(refusal(unknown)).to.deep.equal([400, ['/change/scope/id format']])
    await until('a free turn', async () => {
      const { status, body } = await org.send('POST', '/what-if', whatIf({ kind: 'tag', id: 'env:prod' }))
      return (
        status === 200 && body.data.after.alerts.map((one: any) => `${one.status} ${one.spendUSD}`).join() === 'red 150'
      )
    })
  })
})
