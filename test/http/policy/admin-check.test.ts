/** Which policies are not for roles that see some of the costs. */
import { expect } from 'chai'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

describe('policies that say whose costs are', () => {
  let org: Tenant
  let team: string
  let token: string

  const policy = (domain: string, spec: object, name = domain) => ({
    domain,
    targetType: 'organisation',
    name,
    spec,
    enabled: true,
  })
  const selector = { all: [{ attr: 'line.service', op: 'equals', values: ['Support'] }] }
  const tag = { key: 'place', value: { fields: ['res.region'], join: '-', standardize: true } }
  const refused = [403, 'report_scope']

  before(async () => {
    org = await tenant()
    team = (await org.send('POST', '/teams', { name: 'Mine' })).body.data.id
    const permissions = ['service.view', 'service.create', 'service.update', 'service.delete']
    const reportScope = { all: false, cloudAccountIDs: [], teamIDs: [team] }
    const role = (await org.send('POST', '/roles', { name: 'Narrow', permissions, reportScope })).body.data.id as string
    token = (await colleague({ accessToken: org.token, orgId: org.orgId } as Founder, role)).accessToken
  })

  it('are neither made, changed nor deleted by a role that sees some of them, which would move others to its teams [RBAC-04]', async () => {
    const bodies = [
      policy('allocation', { priority: 1, team }),
      policy('shared-cost', { selector, method: { fixed: { [team]: 100 } } }),
      // Without it resources lose the tag by which a rule gives them to another team.
      policy('tagging', { tag }),
    ]
    for (const body of bodies) {
      const { id } = (await org.send('POST', '/policies', body)).body.data
      const other = { ...body, name: `Other ${body.domain}` }
      for (const [method, path, given] of [
        ['POST', '/policies', other],
        ['PUT', `/policies/${id}`, other],
        ['DELETE', `/policies/${id}`, undefined],
      ] as const) {
        const answer = await ask(method, path, { token, ...(given && { body: given }) })
        expect([answer.status, answer.body?.code], `${method} ${body.domain}`).to.deep.equal(refused)
      }
      expect((await ask('GET', `/policies/${id}`, { token })).body.data.name).to.equal(body.name)
    }
    const preview = await ask('POST', '/shared-cost/policies/preview', { token, body: { spec: bodies[1]!.spec } })
    expect([preview.status, preview.body.code]).to.deep.equal(refused)
  })
})
