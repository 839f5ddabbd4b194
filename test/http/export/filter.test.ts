import { expect } from 'chai'
import { billingLine } from '#streams/billing/messages.ts'
import { answerOf, tenant, type Tenant } from '#test/harness/product.ts'
import { exact, january, three } from '#test/http/export/bills.ts'

describe('an export', () => {
  let org: Tenant
  before(async () => {
    org = await tenant()
    await org.publish(billingLine, [...three, exact])
  })
  const make = (body: object) => org.send('POST', '/reports/export', { ...january, format: 'csv', ...body })
  const csv = async (body: object): Promise<string> => {
    const made = await make(body)
    expect(made.status, JSON.stringify(made.body)).to.equal(201)
    return (await answerOf<string>(await fetch(made.body.data.downloadURL))).body as unknown as string
  }
  const refused = async (body: object) => {
    const { status, body: problem } = await make(body)
    return [status, ...(problem.errors ?? []).map((e: any) => `${e.name}: ${e.code}`)]
  }

  it('is narrowed by any dimension and by conditions, as reports are, and names what is wrong in one [REP-21]', async () => {
    const sheet = async (body: object) => (await csv({ dimensions: ['region'], ...body })).trimEnd().split('\r\n')
    expect(await sheet({ report: 'costs', filter: { region: ['us-west-2', 'europe-west1'] } })).to.deep.equal([
      'region,cost_usd,savings_usd',
      'europe-west1,25,0',
      'us-west-2,40,0',
    ])
    const where = {
      any: [
        { dim: 'region', op: 'contains', values: ['EAST'] },
        { dim: 'tag:env', op: 'is', values: ['prod'] },
      ],
    }
    expect(await sheet({ report: 'costs', where })).to.deep.equal([
      'region,cost_usd,savings_usd',
      '(none),0.1234567890123,0',
      'us-east-1,60,0',
    ])
    expect(await sheet({ report: 'resources', dimensions: [], filter: { 'tag:env': ['prod'] } })).to.deep.equal([
      'cloud_account_id,resource_uid,cost_usd,savings_usd',
      'acct-1,r5,0.1234567890123,0',
    ])
    const months = { report: 'trends', dimensions: ['month'], filter: { cloud_account_id: ['acct-2'] } }
    expect(await sheet(months)).to.deep.equal(['month,cost_usd,savings_usd', '2026-01,25,0'])
    const asked = { report: 'costs', format: 'csv' }
    expect(await refused({ ...asked, filter: { colour: ['red'] } })).to.deep.equal([
      400,
      '/filter/colour: unknown_parameter',
    ])
    expect(await refused({ ...asked, where: { dim: 'region', op: 'like', values: ['a'] } })).to.deep.equal([
      400,
      '/where: enum',
    ])
    expect(await refused({ ...asked, report: 'teams', filter: { region: ['a'] } })).to.deep.equal([
      400,
      '/filter: report',
    ])
  })
})
