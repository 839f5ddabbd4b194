import { expect } from 'chai'
import { billingLine, type BillingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { amount, deepDescribe, deepIt } from '#test/harness/tier.ts'

/** A payer's bill of one day: 70 of production, 30 of development, 5 of its own without a sub-account. */
const day = '2026-01-15'
const line = (lineId: string, cost: string, sub: string, more: Partial<BillingLine> = {}): BillingLine => ({
  cloudAccountId: 'payer',
  provider: 'aws',
  lineId,
  ChargePeriodStart: `${day}T00:00:00Z`,
  ChargePeriodEnd: `${day}T01:00:00Z`,
  ServiceName: 'AmazonEC2',
  BilledCost: cost,
  ...(sub && { SubAccountId: sub, SubAccountName: `name of ${sub}` }),
  ...more,
})
const range = `from=${day}&to=${day}`

describe("a payer's bill, and accounts that are connected behind it", () => {
  let org: Tenant
  const get = async (path: string) => (await org.send('GET', path)).body.data
  const by = async (dims: string, more = ''): Promise<Record<string, number>> => {
    const { nodes } = await get(`/reports/costs/breakdown?dims=${dims}&${range}${more}`)
    return Object.fromEntries(nodes.map((node: any) => [node.label ?? node.id, node.valueUSD]))
  }
  let production: string

  before(async () => {
    org = await tenant()
    await org.publish(billingLine, [
      line('p0', '70', '111111111111', { ResourceId: 'i-prod' }),
      line('p1', '30', '222222222222', { ResourceId: 'i-dev' }),
      line('p2', '5', ''),
    ])
  })

  it('is one account, with its sub-accounts as a dimension, while none is connected [G-116]', async () => {
    expect(await by('cloud_account_id')).to.deep.equal({ payer: 105 })
    expect(await by('billing_account')).to.deep.equal({ payer: 105 })
    expect(await by('sub_account')).to.deep.equal({
      'name of 111111111111': 70,
      'name of 222222222222': 30,
      '(none)': 5,
    })
    expect(await by('service_name', '&filter[sub_account]=222222222222')).to.deep.equal({ AmazonEC2: 30 })
  })

  it('counts for an account that is connected, whose resource it finds, and shows both in the receipt [G-116] [G-117]', async () => {
    const made = await org.send('POST', '/cloud-accounts', {
      name: 'Production',
      provider: 'aws',
      externalID: '111111111111',
    })
    production = made.body.data.id
    const searched = await get('/cloud-accounts?search=DUCTI')
    expect(searched.items.map(({ id }: { id: string }) => id)).to.deep.equal([production])
    await org.publish(resourceDiscovered, [
      {
        resourceUid: 'i-prod',
        name: 'web',
        type: 'aws-ec2',
        provider: 'aws',
        cloudAccountId: production,
        region: 'us-east-1',
        tags: { env: 'prod' },
      },
    ])
    expect(await by('cloud_account_id')).to.deep.equal({ Production: 70, payer: 35 })
    expect(await by('billing_account')).to.deep.equal({ payer: 105 })
    expect(await by('tag:env')).to.deep.equal({ prod: 70, '(none)': 35 })
    expect(await by('resource_type', `&cloud_account_id=${production}`)).to.deep.equal({ 'aws-ec2': 70 })
    const { items, totalUSD } = await get(`/reports/receipt?${range}&cloud_account_id=${production}`)
    expect([
      totalUSD,
      items.map((one: any) => [
        one.lineId,
        one.cloudAccountId,
        one.billingAccountId,
        one.subAccountId,
        one.subAccountName,
      ]),
    ]).to.deep.equal(['70', [['p0', production, 'payer', '111111111111', 'name of 111111111111']]])
  })

  deepIt(
    "leaves the account's own bill out where the payer's has the same, says so, and counts it instead when it is wanted [G-116]",
    async () => {
      await org.publish(billingLine, [
        line('o0', '71', '111111111111', { cloudAccountId: production, ResourceId: 'i-prod' }),
      ])
      expect(await by('billing_account')).to.deep.equal({ payer: 105 })
      const bills = (counted: 'payer' | 'member') => [
        {
          cloudAccountID: 'payer',
          cloudAccountName: 'payer',
          days: 1,
          countedUSD: counted === 'payer' ? 70 : 0,
          leftOutUSD: counted === 'payer' ? 0 : 70,
          leftOutLines: counted === 'payer' ? 0 : 1,
        },
        {
          cloudAccountID: production,
          cloudAccountName: 'Production',
          days: 1,
          countedUSD: counted === 'payer' ? 0 : 71,
          leftOutUSD: counted === 'payer' ? 71 : 0,
          leftOutLines: counted === 'payer' ? 1 : 0,
        },
      ]
      const overlap = async () => {
        const { items } = await get(`/reports/bill-overlaps?${range}`)
        return items.map((one: any) => ({
          ...one,
          bills: one.bills.toSorted((a: any, b: any) => (a.cloudAccountName > b.cloudAccountName ? -1 : 1)),
        }))
      }
      const of = {
        month: '2026-01',
        subAccountID: '111111111111',
        subAccountName: 'name of 111111111111',
        usageAccountID: production,
        isDouble: false,
      }
      expect(await overlap()).to.deep.equal([{ ...of, bills: bills('payer') }])
      const set = await org.send('PATCH', `/organisations/${org.orgId}/settings`, { consolidated: 'member' })
      expect([set.status, set.body.data?.consolidated]).to.deep.equal([200, 'member'])
      await until('the other bill counts', async () => (await by('billing_account'))['payer'] === 35)
      expect(await by('billing_account')).to.deep.equal({ payer: 35, Production: 71 })
      expect(await overlap()).to.deep.equal([{ ...of, bills: bills('member') }])
    },
  )

  deepIt(
    'counts for the payer again once the account is disconnected, its own bill as well: nobody knows them to be the same [G-116]',
    async () => {
      await org.send('DELETE', `/cloud-accounts/${production}`)
      await until('the account is gone from the sums', async () => (await by('billing_account'))['payer'] === 105)
      expect(await by('billing_account')).to.deep.equal({ payer: 105, Production: 71 })
      const { items } = await get(`/reports/bill-overlaps?${range}`)
      expect(items.map((one: any) => [one.subAccountID, one.isDouble])).to.deep.equal([['111111111111', true]])
    },
  )
})

deepDescribe('a role that shows one account, while that is connected and disconnected and bills come', () => {
  const mine = '111111111111'

  it('shows lines of that account and no other at any moment, and all of them in the end [G-116]', async function () {
    this.timeout(300_000)
    const org = await tenant()
    const rounds = amount(2, 6, 30)
    const bill = (round: number) =>
      org.publish(billingLine, [line(`m${round}`, '7', mine), line(`o${round}`, '3', '222222222222')])
    const body = { name: 'Production', provider: 'aws', externalID: mine }
    const connect = async () => (await org.send('POST', '/cloud-accounts', body)).body.data.id as string
    const id = await connect()
    await bill(0)
    const reportScope = { all: false, cloudAccountIDs: [id] }
    const role = await org.send('POST', '/roles', { name: 'one', permissions: ['service.view'], reportScope })
    const ben = await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role.body.data.id)
    const get = async (path: string) => {
      const { status, body: answer } = await ask('GET', path, { token: ben.accessToken })
      expect(status, JSON.stringify(answer)).to.equal(200)
      return answer.data
    }
    let isOver = false
    const seen = new Set<string>()
    const read = async () => {
      while (!isOver) {
        const { nodes } = await get(`/reports/costs/breakdown?dims=sub_account&${range}`)
        for (const node of nodes) seen.add(`sum ${node.label ?? node.id}`)
        const { items } = await get(`/reports/receipt?${range}`)
        for (const one of items) seen.add(`line ${one.subAccountId}`)
      }
    }
    const change = async () => {
      for (let round = 1; round <= rounds; round++) {
        expect((await org.send('DELETE', `/cloud-accounts/${id}`)).status).to.equal(204)
        await bill(2 * round - 1)
        expect(await connect()).to.equal(id)
        await bill(2 * round)
      }
    }
    await Promise.all([change().finally(() => (isOver = true)), read(), read()])
    expect([...seen].toSorted()).to.deep.equal([`line ${mine}`, `sum name of ${mine}`])
    const total = async () => (await get(`/reports/receipt?${range}`)).totalUSD
    await until('all of its lines', async () => (await total()) === String(7 * (2 * rounds + 1)))
    const all = (await org.get(`/reports/costs/breakdown?dims=cloud_account_id&${range}`)).body.data.nodes
    expect(Object.fromEntries(all.map((node: any) => [node.label ?? node.id, node.valueUSD]))).to.deep.equal({
      Production: 7 * (2 * rounds + 1),
      payer: 3 * (2 * rounds + 1),
    })
  })
})
