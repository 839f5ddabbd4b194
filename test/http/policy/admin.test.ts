/** Which policies are of owners and admins. */
import { expect } from 'chai'
import type { PolicyDomain } from '#actors/capability.ts'
import { workflowDomain } from '#actors/workflow/custom/custom.ts'
import { guardrailDomain } from '#actors/workflow/guard/guardrail.ts'
import { taggingDomain } from '#actors/tagging/policy/policy.ts'
import { Fault } from '#engine/value/fault.ts'
import type { Caller } from '#http/identity/organization/caller.ts'
import { customRights, everything, permissions, systemRights, type Rights } from '#http/identity/organization/role.ts'
import { checkReach } from '#http/policy/admin-check.ts'
import { policies } from '#http/policy/routes.ts'
import { domainNames } from '#http/policy/spec.ts'
import { ask, colleague, type Founder } from '#test/harness/people.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

/** `yes`, or the code and the message of the refusal. */
function may(rights: Rights, domain: PolicyDomain): string {
  const caller: Caller = { ...rights, orgId: 'o1', userId: 'ana', kind: 'session', principal: 'session:s1' }
  try {
    checkReach(caller, domain)
    return 'yes'
  } catch (error) {
    return error instanceof Fault ? `${error.kind} ${error.code}: ${error.message}` : String(error)
  }
}
const refused = 'forbidden forbidden: This requires the permission admin.'

describe('policies that say what may be done to clouds', () => {
  const every = customRights({ id: 'r-1', permissions, reportScope: everything })

  for (const domain of [guardrailDomain, workflowDomain])
    it(`are of owners and admins alone, whatever else a role may: ${domain.name}`, () => {
      expect([systemRights('owner'), systemRights('admin')].map((one) => may(one, domain))).to.deep.equal([
        'yes',
        'yes',
      ])
      expect([systemRights('editor'), systemRights('viewer'), every].map((one) => may(one, domain))).to.deep.equal(
        Array(3).fill(refused),
      )
    })

  it('are not those of other domains', () => {
    expect([systemRights('editor'), every].map((one) => may(one, taggingDomain))).to.deep.equal(['yes', 'yes'])
  })

  it('are said to be so where they are made, changed and deleted, and are read by everybody who may view', () => {
    const saying = policies.filter(({ description = '' }) =>
      description.includes('Only owners and admins can create, change and delete'),
    )
    expect(saying.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'POST /policies',
      'PUT /policies/:policyID',
      'DELETE /policies/:policyID',
    ])
    const reading = policies.filter((one) => !saying.includes(one))
    expect([...new Set(reading.map(({ permission }) => permission))]).to.deep.equal(['service.view'])
  })
})

describe('policies of owners and admins in the running product', () => {
  let org: Tenant
  let admin: string
  let editor: string

  const policy = (domain: string, spec: object, name = 'Ours') => ({
    domain,
    targetType: 'organisation',
    name,
    spec,
    enabled: true,
  })
  const bodies = [
    policy('guardrail', { killSwitch: true, windows: [{ days: [1], from: '20:00', to: '05:00', timezone: 'UTC' }] }),
    policy('workflow', { match: { templates: ['delete'] }, extraApprovals: 1 }),
  ]
  const told = ({ status, body }: Answer) => [
    status,
    body?.code,
    ...(body?.errors ?? []).map((e: any) => `${e.name} ${e.code}`),
  ]

  before(async function () {
    // Until the capability is listed, its domains are none of the product's.
    if (!domainNames.includes('guardrail')) return this.skip()
    org = await tenant()
    const of = { accessToken: org.token, orgId: org.orgId } as Founder
    admin = (await colleague(of, 'admin')).accessToken
    editor = (await colleague(of, 'editor')).accessToken
  })

  it('are made, changed and deleted by an admin, and only read by an editor', async () => {
    for (const body of bodies) {
      const by = (token: string, method: string, path: string, given?: object) =>
        ask(method, path, { token, ...(given && { body: given }) })
      expect(told(await by(editor, 'POST', '/policies', body))).to.deep.equal([403, 'forbidden'])
      const made = await by(admin, 'POST', '/policies', body)
      expect([made.status, made.body.data.spec]).to.deep.equal([201, body.spec])
      const path = `/policies/${made.body.data.id}`
      const other = { ...body, enabled: false }
      expect(told(await by(editor, 'PUT', path, other))).to.deep.equal([403, 'forbidden'])
      expect(told(await by(editor, 'DELETE', path))).to.deep.equal([403, 'forbidden'])
      expect((await by(editor, 'GET', path)).body.data).to.deep.equal(made.body.data)
      expect((await by(editor, 'GET', `/policies?domain=${body.domain}`)).body.data.total).to.equal(1)
      expect((await by(admin, 'PUT', path, other)).body.data.enabled).to.equal(false)
      expect((await by(admin, 'DELETE', path)).status).to.equal(204)
    }
  })

  it('are refused with every error by its place', async () => {
    const steps = [
      { id: 'stop/precondition/1', name: 'precondition', kind: 'precondition' },
      { id: 'stop/execute/1', name: 'execute', kind: 'execute' },
      { id: 'Look', name: 'execute', kind: 'validate' },
    ]
    const send = (domain: string, spec: object) =>
      ask('POST', '/policies', { token: admin, body: policy(domain, spec) })
    expect(told(await send('workflow', { template: 'stop', steps }))).to.deep.equal([
      400,
      'validation_failed',
      '/spec/steps/2/id pattern',
    ])
    const named = steps.with(2, { ...steps[2]!, id: 'look' })
    expect(told(await send('workflow', { template: 'stop', steps: named }))).to.deep.equal([
      400,
      'validation_failed',
      '/spec/steps/2/name unique',
      '/spec/steps missing',
      '/spec/steps missing',
      '/spec/steps/2/kind added',
      '/spec/steps/1/kind ungated',
    ])
    expect(told(await send('guardrail', { destructivePerHour: 101, frozenUntil: 'soon' }))).to.deep.equal([
      400,
      'validation_failed',
      '/spec/frozenUntil format',
    ])
    expect(told(await send('guardrail', { destructivePerHour: 101 }))).to.deep.equal([
      400,
      'validation_failed',
      '/spec/destructivePerHour maximum',
    ])
    expect(told(await send('guardrail', { killSwich: true }))).to.deep.equal([
      400,
      'invalid_parameter',
      '/spec/killSwich additionalProperties',
    ])
  })

  it('are one guardrail an organization', async () => {
    const send = (name: string) => ask('POST', '/policies', { token: admin, body: policy('guardrail', {}, name) })
    expect((await send('First')).status).to.equal(201)
    expect(told(await send('Second'))).to.deep.equal([422, 'limit_reached'])
  })
})
