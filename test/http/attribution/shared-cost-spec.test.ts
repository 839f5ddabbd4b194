/** What a rule for shared costs may say. */
import { expect } from 'chai'
import { tenant, type Tenant } from '#test/harness/product.ts'

describe('the spec of a rule for shared costs', () => {
  let org: Tenant
  let data: string
  let shop: string

  const selector = { all: [{ attr: 'line.service', op: 'equals', values: ['Support'] }] }
  const answered = async (spec: object): Promise<[number, string[]]> => {
    const policy = { domain: 'shared-cost', targetType: 'organisation', name: 'Support', spec, enabled: true }
    const { status, body } = await org.send('POST', '/policies', policy)
    return [status, (body.errors ?? []).map((one: { name: string; code: string }) => `${one.name} ${one.code}`)]
  }

  before(async () => {
    org = await tenant()
    data = (await org.send('POST', '/teams', { name: 'Data' })).body.data.id
    shop = (await org.send('POST', '/teams', { name: 'Shop' })).body.data.id
  })

  it('refuses percents of more than four places, which would be rounded to another sum', async () => {
    expect(await answered({ selector, method: { fixed: { [data]: 99.99999 } } })).to.eql([
      400,
      [`/spec/method/fixed/${data} places`],
    ])
    const fixed = { [data]: 33.33334, [shop]: 66.66666 }
    expect(await answered({ selector, method: 'fixed', fixed })).to.eql([
      400,
      [`/spec/fixed/${data} places`, `/spec/fixed/${shop} places`],
    ])
  })

  it('names each unknown team where it stands, also those that take no part', async () => {
    const among = ['zzz', data, 'aaa', 'zzz']
    const places = ['/spec/among/0 unknown', '/spec/among/2 unknown', '/spec/among/3 unknown']
    expect(await answered({ selector, method: 'even', among })).to.eql([400, places])
    expect(await answered({ selector, method: { fixed: { [data]: 100 } }, among })).to.eql([400, places])
    expect(await answered({ selector, method: { fixed: { [data]: 100, 'a/b': 0 } } })).to.eql([
      400,
      ['/spec/method/fixed/a~1b unknown'],
    ])
  })

  it('takes percents of four places that come to 100', async () => {
    const fixed = { [data]: 0.0001, [shop]: 99.9999 }
    expect(await answered({ selector, method: { fixed } })).to.eql([201, []])
  })
})
