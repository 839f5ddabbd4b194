import { Fault } from '#engine/fault.ts'
import { recordOf, verifyDomain } from '#http/identity/provider-domain.ts'
import { ProviderDomain } from '#http/identity/provider-entity.ts'
import { required, type Command } from '#config/command/command.ts'
import { operator } from '#config/command/operator.ts'
import { heard } from '#config/identity-changed.ts'
import { withInstance } from '#config/instance.ts'
import { tokens } from '#config/tokens.ts'

const usage = 'tidemark saml verify-domain DOMAIN --org ID [--trust]'
const listUsage = 'tidemark saml domains [--org ID]'

export const samlDomains: Command = {
  name: 'saml domains',
  summary: 'List the domains of identity providers, whether they are proved, and by which record',
  usage: listUsage,
  options: { org: { type: 'string' } },
  about: { '--org ID': 'Of this organization alone' },
  run: async ({ values }) => {
    const org = values['org']
    return withInstance(async ({ connections }) => {
      const where = typeof org === 'string' ? { orgId: org } : {}
      const rows = await connections.orm.em
        .fork()
        .find(ProviderDomain, where, { orderBy: { domain: 'asc', orgId: 'asc' } })
      const data = rows.map((row) => ({
        orgId: row.orgId,
        domain: row.domain,
        status: row.verifiedAt ? 'verified' : 'pending',
        record: recordOf(row),
        verifiedAt: row.verifiedAt?.toISOString() ?? null,
      }))
      const line = ({ orgId, domain, status, record }: (typeof data)[number]) =>
        `${orgId}  ${domain}  ${status}  ${record.name} TXT ${record.value}`
      return { data, text: data.length > 0 ? data.map(line).join('\n') : 'There is no domain.' }
    })
  },
}

export const samlVerifyDomain: Command = {
  name: 'saml verify-domain',
  summary: 'Look for the TXT record that proves a domain of an identity provider',
  usage,
  positionals: 1,
  options: { org: { type: 'string' }, trust: { type: 'boolean' } },
  about: {
    DOMAIN: 'As saml domains shows it',
    '--org ID': 'The organization whose provider it is of',
    '--trust':
      'Ask no DNS: you know that the domain is theirs. A domain that another organization has proved stays there',
  },
  run: async ({ positionals, values }) => {
    const domain = required({ usage }, positionals[0], 'DOMAIN').toLowerCase()
    const orgId = required({ usage }, values['org'], '--org')
    return withInstance(async ({ connections, product }) => {
      const tools = product().get(tokens.identity)
      const about = { orgId, domain, isTrusted: values['trust'] === true }
      const by = { principal: 'operator', client: operator }
      const work = verifyDomain(tools, about, by, (prove) => tools.em().transactional(prove))
      const { verifiedAt } = await work.catch((error: unknown) => {
        throw new Error(Fault.from(error).message, { cause: error })
      })
      await heard(connections.nats)
      return { data: { orgId, domain, verifiedAt: verifiedAt!.toISOString() }, text: `${domain} is proved.` }
    })
  },
}
