import { Fault } from '#engine/value/fault.ts'
import { recordOf, verifyDomain } from '#http/identity/provider/domain.ts'
import { ProviderDomain } from '#http/identity/provider/entity.ts'
import { aboutOrg, requireValue, requireOrg, type Command } from '#config/command/line/command.ts'
import { organizationFilter, withOrganization } from '#config/command/line/engine.ts'
import { table } from '#config/command/line/table.ts'
import { operator } from '#config/command/line/operator.ts'
import { waitUntilHeard } from '#config/wiring/identity-changed.ts'
import { withInstance } from '#config/product/instance.ts'
import { tokens } from '#config/wiring/tokens.ts'

const usage = 'tidemark saml verify-domain DOMAIN --org ORG [--trust]'
const listUsage = 'tidemark saml domains [--org ORG]'

export const samlDomains: Command = {
  name: 'saml domains',
  summary: 'List identity provider domains, their verification status and their TXT record',
  usage: listUsage,
  options: { org: { type: 'string' } },
  about: { '--org ORG': 'Only for this organization (name or ID)' },
  run: async ({ values }) => {
    return withInstance(async (instance) => {
      const orgId = await organizationFilter(instance, values['org'])
      const where = orgId === undefined ? {} : { orgId }
      const rows = await instance.connections.orm.em
        .fork()
        .find(ProviderDomain, where, { orderBy: { domain: 'asc', orgId: 'asc' } })
      const data = rows.map((row) => ({
        orgId: row.orgId,
        domain: row.domain,
        status: row.verifiedAt ? 'verified' : 'pending',
        record: recordOf(row),
        verifiedAt: row.verifiedAt?.toISOString() ?? null,
      }))
      const lines = data.map((one) => [one.orgId, one.domain, one.status, one.record.name, one.record.value])
      const header = ['ORGANIZATION', 'DOMAIN', 'STATUS', 'TXT RECORD', 'VALUE']
      return { data, text: table(header, lines, 'No domains.') }
    })
  },
}

export const samlVerifyDomain: Command = {
  name: 'saml verify-domain',
  summary: 'Verify a domain of an identity provider by its TXT record',
  usage,
  positionals: 1,
  options: { org: { type: 'string' }, trust: { type: 'boolean' } },
  about: {
    DOMAIN: 'Domain from "saml domains"',
    ...aboutOrg,
    '--trust':
      'Skip the DNS check because you know who owns the domain. A domain verified by another organization is not moved',
  },
  run: async ({ positionals, values }) => {
    const domain = requireValue({ usage }, positionals[0], 'DOMAIN').toLowerCase()
    const named = requireOrg({ usage }, values['org'])
    return withOrganization(named, async ({ connections, product }, orgId) => {
      const tools = product().get(tokens.identity)
      const about = { orgId, domain, isTrusted: values['trust'] === true }
      const by = { principal: 'operator', client: operator }
      const work = verifyDomain(tools, about, by, (prove) => tools.em().transactional(prove))
      const { verifiedAt } = await work.catch((error: unknown) => {
        throw new Error(Fault.from(error).message, { cause: error })
      })
      await waitUntilHeard(connections.nats)
      return { data: { orgId, domain, verifiedAt: verifiedAt!.toISOString() }, text: `${domain} is verified.` }
    })
  },
}
