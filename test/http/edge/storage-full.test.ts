import { expect } from 'chai'
import { Fault } from '#engine/value/fault.ts'
import { t } from '#engine/value/schema.ts'
import { route, type Route } from '#http/edge/route.ts'
import { faultOf } from '#http/store/fault.ts'
import { problem, scopeOf, served } from '#test/http/serving.ts'

const open = { permission: 'service.view', summary: 'a test', reply: t.Unknown() } as const
const routes: Route[] = [
  route({ ...open, method: 'GET', path: '/things', handle: async () => [] }),
  route({ ...open, method: 'POST', path: '/things', handle: async () => ({}) }),
  route({ ...open, method: 'DELETE', path: '/things', handle: async () => ({}) }),
  route({ ...open, method: 'POST', path: '/preview', readOnly: true, handle: async () => ({}) }),
  route({ ...open, method: 'POST', path: '/sign-in', permission: 'public', handle: async () => ({}) }),
  route({
    ...open,
    method: 'GET',
    path: '/away',
    handle: async () => {
      throw Fault.transient('unavailable', 'Not now.')
    },
  }),
]

describe('with a full disk', () => {
  const full = new Fault('transient', 'storage_full', 'The disk is full.', { retryAfter: 60 })
  let refusal: Fault | undefined
  const site = served(routes, scopeOf({}), { storageRefusal: () => refusal })
  beforeEach(() => void (refusal = full))

  const ask = async (method: string, path: string) => {
    const { status } = await fetch(site.url + path, { method })
    return status
  }

  it('changes are refused with 503 storage_full and when to come back; reads and sessions are not', async () => {
    for (const method of ['POST', 'DELETE']) {
      const r = await fetch(`${site.url}/things`, { method })
      expect([r.status, r.headers.get('retry-after')], method).to.deep.equal([503, '60'])
      expect(await problem(r)).to.include({ code: 'storage_full', title: 'Storage full' })
    }
    expect(await ask('GET', '/things')).to.equal(200)
    expect(await ask('POST', '/preview')).to.equal(200)
    expect(await ask('POST', '/sign-in')).to.equal(200)
    refusal = undefined
    expect(await ask('POST', '/things')).to.equal(200)
  })

  it('a store that does not answer is a full one; with room it is one that is away', async () => {
    expect(await problem(await fetch(`${site.url}/away`))).to.include({ code: 'storage_full' })
    refusal = undefined
    expect(await problem(await fetch(`${site.url}/away`))).to.include({ code: 'unavailable' })
  })

  it('what stores say about it is understood, also as a cause', () => {
    const errors = [
      Object.assign(new Error('could not extend file "base/16384/1": No space left on device'), { code: '53100' }),
      Object.assign(new Error('Cannot reserve 1.00 MiB, not enough space.'), { code: '243' }),
      new Error('ENOSPC: no space left on device, write'),
      new Error('insufficient storage resources'),
      new Error('query failed', { cause: Object.assign(new Error('disk full'), { code: '53100' }) }),
    ]
    for (const error of errors) expect(faultOf(error).code, error.message).to.equal('storage_full')
  })
})
