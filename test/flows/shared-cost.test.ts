/** Shared costs on the real stores: rules by the API, bills by their message, every report of teams. */
import { expect } from 'chai'
import { accountListed } from '#streams/account/organization.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Answer, type Tenant } from '#test/harness/product.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

const today = new Date().toISOString().slice(0, 10)

describe('shared costs', () => {
  let org: Tenant
  let teams: Record<string, string>

  const line = (lineId: string, costUSD: string, more: object = {}) => ({
    lineId,
    cloudAccountId: 'acct-1',
    costUSD,
    usageDate: today,
    provider: 'aws' as const,
    serviceName: 'ec2',
    resourceUid: '',
    exportedAt: `${today}T12:00:00Z`,
    ...more,
  })
  const support = { all: [{ attr: 'service', op: 'equals', values: ['SUPPORT'] }] }
  const policy = (name: string, spec: object, enabled = true) => ({
    domain: 'shared-cost',
    targetType: 'organisation',
    name,
    spec,
    enabled,
  })
  const rule = async (name: string, spec: object): Promise<string> => {
    const { status, body } = await org.send('POST', '/policies', policy(name, spec))
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.data.id
  }
  const refused = async (spec: object): Promise<string[]> => {
    const { status, body } = await org.send('POST', '/policies', policy('Refused', spec))
    expect(status, JSON.stringify(body)).to.equal(400)
    return body.errors.map((one: { name: string; code: string }) => `${one.name} ${one.code}`)
  }
  const shown = async (query = ''): Promise<Record<string, (number | undefined)[]>> => {
    const { body } = await org.get(`/reports/teams?from=${today}&to=${today}${query}`)
    return Object.fromEntries(body.data.map((one: any) => [one.teamName, [one.directUSD, one.sharedUSD, one.costUSD]]))
  }

  afterEach(async () => {
    const { items } = (await org.get('/policies')).body.data
    for (const { id } of items) await org.send('DELETE', `/policies/${id}`)
  })
  before(async () => {
    org = await tenant()
    teams = {}
    for (const name of ['Data', 'Shop', 'Idle']) teams[name] = (await org.send('POST', '/teams', { name })).body.data.id
    for (const [name, uid] of [
      ['Data', 'i-1'],
      ['Shop', 'i-2'],
    ] as const)
      await org.send('POST', `/teams/${teams[name]}/resources`, { resourceUIDs: [uid] })
    await org.publish(billingLine, [
      line('1', '30', { resourceUid: 'i-1' }),
      line('2', '60', { resourceUid: 'i-2' }),
      line('3', '7.5'),
      line('4', '10', { serviceName: 'Support' }),
    ])
  })

  it('say nothing of shares while there is no rule', async () => {
    expect(await shown()).to.deep.equal({
      Shop: [undefined, undefined, 60],
      Data: [undefined, undefined, 30],
      Unassigned: [undefined, undefined, 17.5],
    })
  })

  /** Each method is shown by test/analytics/shared-cost.test.ts too. */
  const evenly = async (put: (spec: object) => Promise<Answer>) => {
    expect((await put({ selector: support, method: 'even' })).status).to.equal(200)
    // One of the three, whose id comes first, takes what rounding leaves.
    const handed = Object.values(await shown()).map(([, one]) => one)
    expect(handed.map(String).toSorted()).to.deep.equal([
      '0',
      '3.33333333333333',
      '3.33333333333333',
      '3.33333333333334',
    ])
  }

  it('are handed out as soon as a rule is there, by another measure once it is changed, and no more once it is gone', async () => {
    const id = await rule('Support', { selector: support, method: 'proportional' })
    expect(await shown()).to.deep.equal({
      Shop: [60, 6.66666666666667, 66.66666666666667],
      Data: [30, 3.33333333333333, 33.33333333333333],
      Unassigned: [7.5, 0, 7.5],
    })
    const put = (spec: object, enabled = true) => org.send('PUT', `/policies/${id}`, policy('Support', spec, enabled))
    if (isDeep) await evenly(put)
    const percents = { [teams['Data']!]: 12.5, [teams['Idle']!]: 87.5 }
    expect((await put({ selector: support, method: 'fixed', fixed: percents })).status).to.equal(200)
    expect(await shown()).to.deep.equal({
      Shop: [60, 0, 60],
      Data: [30, 1.25, 31.25],
      Idle: [0, 8.75, 8.75],
      Unassigned: [7.5, 0, 7.5],
    })
    expect((await put({ selector: support, method: { fixed: percents } }, false)).status).to.equal(200)
    if (isDeep)
      expect(await shown())
        .to.have.property('Unassigned')
        .that.deep.equals([undefined, undefined, 17.5])
    expect((await org.send('DELETE', `/policies/${id}`, undefined)).status).to.equal(204)
    expect(await shown())
      .to.have.property('Unassigned')
      .that.deep.equals([undefined, undefined, 17.5])
  })

  deepIt('follow an account to another unit of its organization', async () => {
    const fixed = { [teams['Idle']!]: 100 }
    const below = { all: [{ attr: 'account.ou', op: 'starts_with', values: ['/shared'] }] }
    await rule('Unit', { selector: below, method: { fixed } })
    const idle = async () => (await shown())['Idle']?.[2] ?? 0
    const stay = { managedBy: 'acct-0', name: 'A', tags: {}, isManaged: false, isDisabled: false, roleName: '' }
    const listed = (path: string) =>
      org.publish(accountListed, [
        {
          id: 'acct-1',
          provider: 'aws',
          externalId: 'acct-1',
          action: 'note',
          credentials: null,
          regions: [],
          membership: { ...stay, path, status: 'active' },
        } as never,
      ])
    expect(await idle()).to.equal(0)
    await listed('/Shared/Tools')
    await until('the costs of the account', async () => (await idle()) === 107.5)
    await listed('/Own')
    await until('no costs', async () => (await idle()) === 0)
  })

  it('stand in every report of a team, and in its receipt with their share', async () => {
    await rule('Support', { selector: support, method: 'proportional', among: [teams['Data']!, teams['Shop']!] })
    const range = `from=${today}&to=${today}`
    const { body: one } = await org.get(`/reports/teams/${teams['Data']}?${range}`)
    expect(one.data).to.deep.include({ costUSD: 33.33, directUSD: 30, sharedUSD: 3.33333333333333 })
    // Receipts: test/analytics/shared-receipt.test.ts; breakdowns: test/analytics/shared-cost.test.ts.
    if (!isDeep) return
    const { body: receipt } = await org.get(`/reports/receipt?${range}&team_id=${teams['Data']}`)
    expect(receipt.data.totalUSD).to.equal('33.33333333333333')
    const lines = receipt.data.items.map((item: any) => [item.lineId, item.costUSD, item.share, item.lineCostUSD])
    expect(lines).to.deep.equal([
      ['1', '30', undefined, undefined],
      ['4', '3.33333333333333', '0.33333333333333', '10'],
    ])
    const { body: flow } = await org.get(`/reports/costs/breakdown?${range}&dims=team_id,service_name`)
    const nodes = Object.fromEntries(flow.data.nodes.map((node: any) => [node.label, node.valueUSD]))
    expect(nodes).to.deep.include({ Shop: 66.66666666666667, Data: 33.33333333333333, Unassigned: 7.5 })
    expect(flow.data.totalUSD).to.equal(107.5)
    const { body: resources } = await org.get(`/reports/teams/${teams['Data']}/resources?${range}`)
    expect(resources.data.items.map((item: any) => [item.resourceUid, item.costUSD])).to.deep.equal([
      ['i-1', 30],
      ['(none)', 3.33333333333333],
    ])
  })

  it('are shown before a rule is made: who gives what to whom, and which older rule takes it instead', async () => {
    const spec = { selector: support, method: 'proportional' }
    const preview = (asked: object, by: Tenant = org) => by.send('POST', '/shared-cost/policies/preview', asked)
    const own = { fromTeamID: null, fromTeamName: 'Unassigned' }
    const moved = [
      { ...own, toTeamID: teams['Shop'], toTeamName: 'Shop', costUsd30d: 6.66666666666666 },
      { ...own, toTeamID: teams['Data'], toTeamName: 'Data', costUsd30d: 3.33333333333333 },
    ]
    const { body, status } = await preview({ spec })
    expect(status, JSON.stringify(body)).to.equal(200)
    expect(body.data).to.deep.equal({ selectedUsd30d: 10, movedUsd30d: 10, moved, won: [] })
    expect((await org.get('/policies')).body.data.total, 'nothing is kept').to.equal(0)
    const id = await rule('Support', spec)
    const won = [{ policyID: id, name: 'Support', costUsd30d: 10 }]
    expect((await preview({ spec })).body.data).to.deep.equal({ selectedUsd30d: 10, movedUsd30d: 0, moved: [], won })
    expect((await preview({ spec, policyID: id })).body.data.moved).to.deep.equal(moved)
    const other = await tenant()
    expect((await preview({ spec, policyID: id }, other)).status).to.equal(404)
  })

  it('are refused with what is wrong with them', async () => {
    const { Data = '' } = teams
    expect(await refused({ selector: support, method: 'fixed', fixed: { [Data]: 99.9 } })).to.deep.equal([
      '/spec/fixed sum',
    ])
    expect(await refused({ selector: support, method: { fixed: { nobody: 100 } } })).to.deep.equal([
      '/spec/method/fixed/nobody unknown',
    ])
    expect(await refused({ selector: support, method: 'even', among: [Data, 'nobody'] })).to.deep.equal([
      '/spec/among/1 unknown',
    ])
    expect(await refused({ selector: { all: [] }, method: 'even' })).to.deep.equal(['/spec/selector/all minItems'])
    expect(await refused({ selector: support, method: 'even', fixed: { [Data]: 100 } })).to.deep.equal([
      '/spec/fixed unexpected',
    ])
    const odd = { all: [{ attr: 'res.region', op: 'equals', values: ['x'] }] }
    expect(await refused({ selector: odd, method: 'even' })).to.deep.equal(['/spec/selector/all/0/attr unknown'])
  })

  it('are not shown beforehand to a role that sees some costs alone', async () => {
    const role = {
      name: 'One account',
      permissions: ['service.view'],
      reportScope: { all: false, cloudAccountIDs: ['acct-1'], teamIDs: [] },
    }
    const made = await org.send('POST', '/roles', role)
    const one = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, made.body.data.id)
    const body = { spec: { selector: support, method: 'even' } }
    const { status } = await ask('POST', '/shared-cost/policies/preview', { token: one.accessToken, body })
    expect(status).to.equal(403)
  })
})
