import { expect } from 'chai'
import pino from 'pino'
import { t } from '#engine/value/schema.ts'
import { route } from '#http/edge/route.ts'
import { scopeOf, served } from '#test/http/serving.ts'

describe('http log', () => {
  const lines: Record<string, unknown>[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) })
  const one = route({
    method: 'GET',
    path: '/things/:thingID',
    summary: '',
    permission: 'space.view',
    query: t.Object({ search: t.Optional(t.String()) }),
    reply: t.Unknown(),
    handle: async () => {
      throw new Error('broken')
    },
  })
  const site = served([one], scopeOf(), { log })

  it('has one line a request, with the declared route and nothing that was asked', async () => {
    await site.get('/things/x-42?search=swordfish', { authorization: 'Bearer svc_pat_shark', 'x-request-id': 'r1' })
    await site.get('/nowhere')
    const [defect, request, unknown] = lines
    expect(defect).to.deep.include({ level: 50, requestId: 'r1', msg: 'defect' })
    expect(request).to.include({
      level: 30,
      msg: 'request',
      method: 'GET',
      route: '/things/:thingID',
      status: 500,
      requestId: 'r1',
      org: 'o1',
    })
    expect(request?.['ms']).to.be.a('number')
    expect(unknown).to.include({ msg: 'request', status: 404 })
    expect(lines).to.have.length(3)
    expect(JSON.stringify(lines)).to.not.match(/swordfish|shark|x-42/)
  })
})
