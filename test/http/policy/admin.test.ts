/** Which policies are of owners and admins. */
import { expect } from 'chai'
import type { PolicyDomain } from '#actors/capability.ts'
import { workflowDomain } from '#actors/workflow/custom.ts'
import { guardrailDomain } from '#actors/workflow/guardrail.ts'
import { taggingDomain } from '#actors/tagging/policy.ts'
import { Fault } from '#engine/fault.ts'
import type { Caller } from '#http/identity/caller.ts'
import { customRights, everything, permissions, systemRights, type Rights } from '#http/identity/role.ts'
import { checkReach } from '#http/policy/reach.ts'
import { policies } from '#http/policy/routes.ts'

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
const refused = 'forbidden forbidden: This needs the permission admin.'

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
    const saying = policies.filter(({ description = '' }) => description.includes('by owners and admins alone'))
    expect(saying.map(({ method, path }) => `${method} ${path}`)).to.deep.equal([
      'POST /policies',
      'PUT /policies/:policyID',
      'DELETE /policies/:policyID',
    ])
    const reading = policies.filter((one) => !saying.includes(one))
    expect([...new Set(reading.map(({ permission }) => permission))]).to.deep.equal(['service.view'])
  })
})
