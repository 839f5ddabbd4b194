import { expect } from 'chai'
import { openapi } from '#http/edge/document/openapi.ts'
import { meaningOf } from '#http/edge/parameter/parameter.ts'
import { routes, site } from '#http/index.ts'

describe('parameters', () => {
  const all = site(routes, { version: '1', ready: async () => [] })
  const { paths } = openapi(all, { title: 'T', version: '1', url: '' }) as any
  const parameters = Object.entries<any>(paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).flatMap(([method, { parameters: list }]) =>
      list.map((one: any) => ({ at: `${method.toUpperCase()} ${path} ${one.name}`, ...one })),
    ),
  )

  it('say what they mean, all of them', () => {
    expect(parameters.length).to.be.greaterThan(900)
    const silent = parameters.filter(({ description = '' }) => description.length < 6)
    expect(silent.map(({ at }) => at)).to.deep.equal([])
  })

  it('mean the same where they are called the same, unless their route says else', () => {
    expect(meaningOf('filter[region]', 'query')).to.equal('filter by region, as named by the cloud')
    expect(meaningOf('region', 'query')).to.equal('filter by region, as named by the cloud')
    expect(meaningOf('savedViewID', 'path')).to.equal('saved view ID')
    expect(meaningOf('orgID', 'path')).to.equal('organization ID')
    expect(meaningOf('domain', 'path')).to.equal('email domain')
    for (const name of ['constructor', 'teamID', 'something'])
      expect(meaningOf(name, 'query'), name).to.equal(undefined)
    const said = parameters.find(({ at }) => at === 'GET /resources parent_uid')
    expect(said.description).to.equal('only its children')
  })
})
